import type { Node } from '@apiserver/api/core/v1';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldForbidden,
  fieldInternal,
  fieldInvalid,
} from '@apiserver/apimachinery/field';
import { parseCIDR } from '@apiserver/apimachinery/values';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateLegacyCIDR } from '../validation/ip-fields.js';
import { validateResourceQuantity } from '../validation/resource-quantity.js';
import { validateConfigSourceSpec, validateConfigStatus } from './config-source-validation.js';
import { validateDeclaredFeatures } from './declared-features.js';
import { validateNodeAnnotations } from './scheduling-annotations.js';
import { validateTaints } from './taint-validation.js';

const METADATA = FieldPath.of('metadata');
/** The path of taints in upstream's messages. */
const TAINTS = FieldPath.of('metadata', 'taints');
const POD_CIDRS = FieldPath.of('spec', 'podCIDRs');

/** Upstream: ValidateNode of pkg/apis/core/validation/validation.go */
export function validateNode(node: Node, strict: boolean): readonly FieldError[] {
  const { metadata, spec, status } = node;
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false }),
    ...validateNodeAnnotations(metadata.annotations, METADATA.child('annotations')),
    ...validateTaints(spec.taints ?? [], TAINTS),
    ...validateNodeResources(node),
    ...validateSwap(node),
    ...validateDeclaredFeatures(status.declaredFeatures ?? []),
    ...validatePodCIDRs(spec.podCIDRs ?? [], strict),
  ];
}

/** Validates the changes on both endpoints. Upstream: ValidateNodeUpdate */
export function validateNodeUpdate(node: Node, old: Node): readonly FieldError[] {
  const { spec, status } = node;
  return [
    ...validateBuiltInObjectMetaUpdate(node.metadata, old.metadata),
    ...validateNodeAnnotations(node.metadata.annotations, METADATA.child('annotations')),
    ...validateNodeResources(node),
    ...validateDeclaredFeatures(status.declaredFeatures ?? []),
    ...validateAddresses(node),
    ...validatePodCIDRsUpdate(spec.podCIDRs ?? [], old.spec.podCIDRs ?? []),
    ...validateProviderIDUpdate(node, old),
    ...validateConfigSourceSpec(spec.configSource, FieldPath.of('spec', 'configSource')),
    ...validateConfigStatus(status.config, FieldPath.of('status', 'config')),
    ...validateTaints(spec.taints ?? [], TAINTS),
    ...validateExternalIDUpdate(node, old),
  ];
}

function validateNodeResources({ status }: Node): FieldError[] {
  return (['capacity', 'allocatable'] as const).flatMap((list) =>
    Object.entries(status[list] ?? {}).flatMap(([name, amount]) =>
      validateResourceQuantity(name, amount, FieldPath.of('status', list, name)),
    ),
  );
}

/** The path is not that of the field, as upstream. Upstream: validateNodeSwapStatus */
function validateSwap({ status }: Node): FieldError[] {
  const capacity = status.nodeInfo?.swap?.capacity;
  if (capacity === undefined || capacity > 0) return [];
  return [fieldInvalid(METADATA.child('nodeSwapStatus', 'capacity'), capacity, 'must be greater than zero')];
}

function validatePodCIDRs(cidrs: readonly string[], strict: boolean): FieldError[] {
  const errors = cidrs.flatMap((cidr, i) => validateLegacyCIDR(cidr, POD_CIDRS.index(i), { strict }));
  if (cidrs.length < 2) return errors;
  const parsed = cidrs.map(parseCIDR);
  const bad = parsed.indexOf(undefined);
  if (bad >= 0) errors.push(fieldInternal(POD_CIDRS, new Error(unreadableCIDR(cidrs[bad] ?? '', bad))));
  const families = new Set(parsed.map((cidr) => cidr?.network.length));
  if (bad >= 0 || families.size < 2 || cidrs.length > 2) {
    errors.push(fieldInvalid(POD_CIDRS, cidrs, 'may specify no more than one CIDR for each IP family'));
  }
  return errors;
}

/** Upstream: IsDualStackCIDRStrings of k8s.io/utils/net, which fails if one network is invalid */
function unreadableCIDR(cidr: string, index: number): string {
  const cause = `invalid CIDR[${index}]: <nil> (invalid CIDR address: ${cidr})`;
  return `invalid PodCIDRs. failed to check with dual stack with error:${cause}`;
}

function validatePodCIDRsUpdate(cidrs: readonly string[], before: readonly string[]): FieldError[] {
  const changed = () => fieldForbidden(POD_CIDRS, 'node updates may not change podCIDR except from "" to valid');
  if (before.length === 0) return [];
  if (before.length !== cidrs.length) return [changed()];
  return before.filter((cidr, i) => cidr !== cidrs[i]).map(changed);
}

function validateAddresses({ status: { addresses = [] } }: Node): FieldError[] {
  const seen = new Set<string>();
  return addresses.flatMap(({ type, address }, i) => {
    const key = `${type} ${address}`;
    if (seen.has(key)) {
      return [fieldDuplicate(FieldPath.of('status', 'addresses').index(i), { Type: type, Address: address })];
    }
    seen.add(key);
    return [];
  });
}

function validateProviderIDUpdate({ spec }: Node, old: Node): FieldError[] {
  const { providerID = '' } = old.spec;
  if (providerID === '' || providerID === spec.providerID) return [];
  const detail = 'node updates may not change providerID except from "" to valid';
  return [fieldForbidden(FieldPath.of('spec', 'providerID'), detail)];
}

function validateExternalIDUpdate({ spec }: Node, old: Node): FieldError[] {
  if ((spec.externalID ?? '') === (old.spec.externalID ?? '')) return [];
  return [fieldForbidden(FieldPath.of('spec', 'externalID'), 'may not be updated')];
}
