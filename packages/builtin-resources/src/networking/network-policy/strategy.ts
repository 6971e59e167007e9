import { type NetworkPolicy, NetworkPolicySpec } from '@apiserver/api/networking/v1';
import { isUncanonical } from '@apiserver/apimachinery/json';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { countGeneration, countSpecChange } from '@apiserver/resource-kit';
import { warningsForCIDR } from '../../core/validation/ip-fields.js';
import { peersOf } from './peers.js';
import { validateNetworkPolicy, validateNetworkPolicyUpdate } from './validation.js';

/** Upstream: pkg/registry/networking/networkpolicy/strategy.go */
export function networkPolicyStrategy(features: FeatureGates): Strategy<NetworkPolicy> {
  const strict = features.enabled('StrictIPCIDRValidation');
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    prepareForCreate(_context, { metadata }) {
      metadata.generation = 1;
    },
    validate: (_context, policy) => validateNetworkPolicy(policy, strict),
    warningsOnCreate: (_context, policy) => cidrWarnings(policy),
    prepareForUpdate(_context, policy, old) {
      countSpecChange(policy, old, NetworkPolicySpec);
      // Upstream compares by reflect.DeepEqual, to which an empty list differs from the absent one that is stored.
      if (isUncanonical(policy.spec)) countGeneration(policy, old);
    },
    validateUpdate: (_context, policy, old) => validateNetworkPolicyUpdate(policy, old, strict),
    warningsOnUpdate: (_context, policy) => cidrWarnings(policy),
  };
}

function cidrWarnings(policy: NetworkPolicy): string[] {
  return peersOf(policy).flatMap(({ peer: { ipBlock }, path }) => {
    if (ipBlock === undefined) return [];
    const block = path.child('ipBlock');
    return [
      ...warningsForCIDR(ipBlock.cidr, block.child('cidr')),
      ...(ipBlock.except ?? []).flatMap((cidr, i) => warningsForCIDR(cidr, block.child('except').index(i))),
    ];
  });
}
