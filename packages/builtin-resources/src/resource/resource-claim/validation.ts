import { type ResourceClaim, ResourceClaimSpec } from '@apiserver/api/resource/v1';
import { type FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateImmutableValue } from '../../validation/immutable-value.js';
import { type DeviceClaimRules, validateDeviceClaim } from '../validation/device-claim.js';

const SPEC = FieldPath.of('spec');

/** Upstream: ValidateResourceClaim of pkg/apis/resource/validation/validation.go */
export function validateResourceClaim(
  { metadata, spec }: ResourceClaim,
  rules: DeviceClaimRules,
): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true }),
    ...validateDeviceClaim(spec.devices, rules, SPEC.child('devices')),
  ];
}

/** The spec is immutable, so nothing else is validated. Upstream: ValidateResourceClaimUpdate */
export function validateResourceClaimUpdate(claim: ResourceClaim, old: ResourceClaim): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(claim.metadata, { namespaced: true }),
    ...validateBuiltInObjectMetaUpdate(claim.metadata, old.metadata),
    ...validateImmutableValue(ResourceClaimSpec, claim.spec, old.spec, SPEC),
  ];
}
