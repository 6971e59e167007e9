import type { ResourcePoolStatusRequest, ResourcePoolStatusRequestSpec } from '@apiserver/api/resource/v1alpha3';
import { type FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { validateImmutableField } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateDriver, validateMaximum, validateMinimum, validatePool } from './declared-rules.js';

const SPEC = FieldPath.of('spec');
/** Upstream: ResourcePoolStatusRequestLimitMax */
const MAX_LIMIT = 1000;

/** Upstream: ValidateResourcePoolStatusRequest, and the declared rules of the API types */
export function validateResourcePoolStatusRequest({
  metadata,
  spec,
}: ResourcePoolStatusRequest): readonly FieldError[] {
  return [...validateBuiltInObjectMeta(metadata, { namespaced: false }), ...validateSpec(spec)];
}

/** The spec is immutable as a whole. Upstream: ValidateResourcePoolStatusRequestUpdate, and the declared rules */
export function validateResourcePoolStatusRequestUpdate(
  { metadata, spec }: ResourcePoolStatusRequest,
  old: ResourcePoolStatusRequest,
): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateImmutableField(spec, old.spec, SPEC, null),
  ];
}

function validateSpec({ driver, poolName, limit }: ResourcePoolStatusRequestSpec): FieldError[] {
  return [
    ...validateDriver(driver, SPEC.child('driver')),
    ...(poolName === undefined ? [] : validatePool(poolName, SPEC.child('poolName'))),
    ...validateMaximum(limit, MAX_LIMIT, SPEC.child('limit')),
    ...validateMinimum(limit, 1, SPEC.child('limit')),
  ];
}
