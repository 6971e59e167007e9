import { NetworkPolicy } from '@apiserver/api/networking/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { networkPolicyColumns } from './columns.js';
import { applyNetworkPolicyDefaults } from './defaults.js';
import { networkPolicyStrategy } from './strategy.js';

/** NetworkPolicies: allowed connections to and from pods. */
export function networkPolicies(features: FeatureGates): ResourceDefinition<NetworkPolicy> {
  return defineResource<NetworkPolicy>({
    shortNames: ['netpol'],
    versions: [{ schema: NetworkPolicy, applyDefaults: applyNetworkPolicyDefaults }],
    strategy: networkPolicyStrategy(features),
    columns: networkPolicyColumns,
  });
}
