import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicySpec } from '@apiserver/api/networking/v1';
import {
  type FieldError,
  FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  hasFieldErrors,
} from '@apiserver/apimachinery/field';
import { validateLabelSelector } from '@apiserver/apimachinery/validation';
import { cidrContains, parseCIDR } from '@apiserver/apimachinery/values';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { type LegacyIPRules, validateLegacyCIDR } from '../../core/validation/ip-fields.js';
import { validateEnum } from '../../validation/enum-field.js';
import { cidrsOf, peersOf } from './peers.js';
import { validateNetworkPolicyPort } from './port-validation.js';

const SPEC = FieldPath.of('spec');
const POLICY_TYPES = ['Ingress', 'Egress'];

/** Existing faults that an update may keep. */
interface Allowances {
  readonly allowInvalidLabelValueInSelector: boolean;
  readonly cidrs: LegacyIPRules;
}

/** Upstream: ValidateNetworkPolicy of pkg/apis/networking/validation/validation.go */
export function validateNetworkPolicy(policy: NetworkPolicy, strict: boolean): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(policy.metadata, { namespaced: true }),
    ...validateSpec(policy.spec, { allowInvalidLabelValueInSelector: false, cidrs: { strict } }),
  ];
}

/** Upstream: ValidateNetworkPolicyUpdate and ValidationOptionsForNetworking */
export function validateNetworkPolicyUpdate(
  policy: NetworkPolicy,
  old: NetworkPolicy,
  strict: boolean,
): readonly FieldError[] {
  const existing = new Set(
    peersOf(old).flatMap(({ peer: { ipBlock } }) => (ipBlock === undefined ? [] : cidrsOf(ipBlock))),
  );
  return [
    ...validateBuiltInObjectMetaUpdate(policy.metadata, old.metadata),
    ...validateSpec(policy.spec, {
      allowInvalidLabelValueInSelector: hasFieldErrors(() => validateLabelSelector(old.spec.podSelector, {}, SPEC)),
      cidrs: { strict, existing },
    }),
  ];
}

function validateSpec(spec: NetworkPolicySpec, allowances: Allowances): FieldError[] {
  const { podSelector, ingress = [], egress = [], policyTypes = [] } = spec;
  const rules = [
    ...ingress.map(({ ports, from: peers }, i) => ({
      ports,
      peers,
      side: 'from',
      path: SPEC.child('ingress').index(i),
    })),
    ...egress.map(({ ports, to: peers }, i) => ({ ports, peers, side: 'to', path: SPEC.child('egress').index(i) })),
  ];
  return [
    ...validateLabelSelector(podSelector, allowances, SPEC.child('podSelector')),
    ...rules.flatMap(({ ports = [], peers = [], side, path }) => [
      ...ports.flatMap((port, i) => validateNetworkPolicyPort(port, path.child('ports').index(i))),
      ...peers.flatMap((peer, i) => validatePeer(peer, allowances, path.child(side).index(i))),
    ]),
    ...validatePolicyTypes(policyTypes, SPEC.child('policyTypes')),
  ];
}

function validatePolicyTypes(types: readonly string[], path: FieldPath): FieldError[] {
  if (types.length > POLICY_TYPES.length) {
    return [fieldInvalid(path, types, 'may not specify more than two policyTypes')];
  }
  return types.flatMap((type, i) => validateEnum(type, POLICY_TYPES, path.index(i)));
}

function validatePeer(peer: NetworkPolicyPeer, allowances: Allowances, path: FieldPath): FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const errors = [
    ...validateLabelSelector(podSelector, allowances, path.child('podSelector')),
    ...validateLabelSelector(namespaceSelector, allowances, path.child('namespaceSelector')),
    ...(ipBlock === undefined ? [] : validateIPBlock(ipBlock, allowances, path.child('ipBlock'))),
  ];
  const count = [podSelector, namespaceSelector, ipBlock].filter((kind) => kind !== undefined).length;
  if (count === 0) return [...errors, fieldRequired(path, 'must specify a peer')];
  if (count === 1 || ipBlock === undefined) return errors;
  return [...errors, fieldForbidden(path, 'may not specify both ipBlock and another peer')];
}

function validateIPBlock({ cidr, except = [] }: IPBlock, { cidrs: rules }: Allowances, path: FieldPath): FieldError[] {
  if (cidr === '') return [fieldRequired(path.child('cidr'), '')];
  const whole = parseCIDR(cidr);
  const errors = validateLegacyCIDR(cidr, path.child('cidr'), rules, whole);
  if (whole === undefined) return errors;
  return [
    ...errors,
    ...except.flatMap((text, i) => {
      const place = path.child('except').index(i);
      const part = parseCIDR(text);
      const faults = validateLegacyCIDR(text, place, rules, part);
      if (part === undefined) return faults;
      const within = cidrContains(whole, part.network) && whole.prefixLength < part.prefixLength;
      return within ? faults : [...faults, fieldInvalid(place, text, 'must be a strict subset of `cidr`')];
    }),
  ];
}
