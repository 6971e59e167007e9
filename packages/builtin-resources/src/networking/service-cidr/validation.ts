import type { ServiceCIDR, ServiceCIDRSpec } from '@apiserver/api/networking/v1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { FIELD_IMMUTABLE_MESSAGE } from '@apiserver/apimachinery/validation';
import { parseCIDR } from '@apiserver/apimachinery/values';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateCIDR } from '../../core/validation/ip-fields.js';

const CIDRS = FieldPath.of('spec', 'cidrs');

/** Upstream: ValidateServiceCIDR of pkg/apis/networking/validation/validation.go */
export function validateServiceCIDR({ metadata, spec }: ServiceCIDR): readonly FieldError[] {
  return [...validateBuiltInObjectMeta(metadata, { namespaced: false }), ...validateNetworks(spec)];
}

/** A network of the other family may be added. Upstream: ValidateServiceCIDRUpdate */
export function validateServiceCIDRUpdate({ metadata, spec }: ServiceCIDR, old: ServiceCIDR): readonly FieldError[] {
  const errors = validateBuiltInObjectMetaUpdate(metadata, old.metadata);
  const { cidrs = [] } = spec;
  const { cidrs: before = [] } = old.spec;
  const changed = before.flatMap((cidr, i) =>
    cidrs[i] === cidr ? [] : [fieldInvalid(CIDRS.index(i), cidrs[i], FIELD_IMMUTABLE_MESSAGE)],
  );
  if (before.length === cidrs.length) return [...errors, ...changed];
  if (before.length === 1 && cidrs.length === 2) return [...errors, ...changed, ...validateNetworks(spec)];
  return [...errors, fieldInvalid(CIDRS, cidrs, FIELD_IMMUTABLE_MESSAGE)];
}

/** Upstream: ValidateServiceCIDRStatusUpdate */
export function validateServiceCIDRStatusUpdate({ metadata }: ServiceCIDR, old: ServiceCIDR): readonly FieldError[] {
  return validateBuiltInObjectMetaUpdate(metadata, old.metadata);
}

/** The fault of too many networks shows the whole spec as upstream does: its internal type has no JSON names. */
function validateNetworks({ cidrs = [] }: ServiceCIDRSpec): FieldError[] {
  if (cidrs.length === 0) return [fieldRequired(CIDRS, 'at least one CIDR required')];
  if (cidrs.length > 2) return [fieldInvalid(CIDRS, { CIDRs: cidrs }, 'may only hold up to 2 values')];
  const errors = cidrs.flatMap((cidr, i) => validateCIDR(cidr, CIDRS.index(i)));
  const [family, other] = cidrs.map(familyOf);
  if (cidrs.length < 2 || family === undefined || family !== other) return errors;
  const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  return [...errors, fieldInvalid(CIDRS, cidrs, detail)];
}

/** The number of bytes of a network's addresses; undefined for an invalid one. */
function familyOf(cidr: string): number | undefined {
  return parseCIDR(cidr)?.address.bytes.length;
}
