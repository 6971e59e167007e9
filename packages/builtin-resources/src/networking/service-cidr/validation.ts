import type { ServiceCIDR, ServiceCIDRSpec } from '@apiserver/api/networking/v1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import {
  FIELD_IMMUTABLE_MESSAGE,
  nameIsDNSSubdomain,
  validateImmutableField,
} from '@apiserver/apimachinery/validation';
import { parseCIDR } from '@apiserver/apimachinery/values';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateCIDR } from '../../core/validation/ip-fields.js';

const METADATA = FieldPath.of('metadata');
const CIDRS = FieldPath.of('spec', 'cidrs');

/** Upstream: ValidateServiceCIDR of pkg/apis/networking/validation/validation.go */
export function validateServiceCIDR({ metadata, spec }: ServiceCIDR): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false, validateName: nameIsDNSSubdomain, path: METADATA }),
    ...validateNetworks(spec),
  ];
}

/** A network of the other family may be added. Upstream: ValidateServiceCIDRUpdate */
export function validateServiceCIDRUpdate({ metadata, spec }: ServiceCIDR, old: ServiceCIDR): readonly FieldError[] {
  const errors = validateBuiltInObjectMetaUpdate(metadata, old.metadata, METADATA);
  const { cidrs = [] } = spec;
  const { cidrs: before = [] } = old.spec;
  if (before.length !== 1 || cidrs.length !== 2) return [...errors, ...validateImmutableField(cidrs, before, CIDRS)];
  return [
    ...errors,
    ...(cidrs[0] === before[0] ? [] : [fieldInvalid(CIDRS.index(0), cidrs[0], FIELD_IMMUTABLE_MESSAGE)]),
    ...validateNetworks(spec),
  ];
}

/** Upstream: ValidateServiceCIDRStatusUpdate */
export function validateServiceCIDRStatusUpdate({ metadata }: ServiceCIDR, old: ServiceCIDR): readonly FieldError[] {
  return validateBuiltInObjectMetaUpdate(metadata, old.metadata, METADATA);
}

/** Faults of the whole spec format it as upstream does: its internal type has no JSON names. */
function validateNetworks({ cidrs = [] }: ServiceCIDRSpec): FieldError[] {
  if (cidrs.length === 0) return [fieldRequired(CIDRS, 'at least one CIDR required')];
  if (cidrs.length > 2) return [fieldInvalid(CIDRS, { CIDRs: cidrs }, 'may only hold up to 2 values')];
  if (cidrs.length === 2 && !areOfBothFamilies(cidrs)) {
    const example = 'i.e 192.168.0.0/24 and 2001:db8::/64';
    return [fieldInvalid(CIDRS, { CIDRs: cidrs }, `may specify no more than one IP for each IP family, ${example}`)];
  }
  return cidrs.flatMap((cidr, i) => validateCIDR(cidr, CIDRS.index(i)));
}

function areOfBothFamilies(cidrs: readonly string[]): boolean {
  const lengths = cidrs.map((cidr) => parseCIDR(cidr)?.address.bytes.length);
  return lengths.includes(4) && lengths.includes(16);
}
