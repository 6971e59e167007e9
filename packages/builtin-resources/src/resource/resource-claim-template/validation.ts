import { type ResourceClaimTemplate, ResourceClaimTemplateSpec } from '@apiserver/api/resource/v1';
import { type FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateTemplateMetadata } from '../../core/validation/template-metadata.js';
import { validateImmutableValue } from '../../validation/immutable-value.js';
import { type DeviceClaimRules, validateDeviceClaim } from '../validation/device-claim.js';

const SPEC = FieldPath.of('spec');

/** Upstream: ValidateResourceClaimTemplate of pkg/apis/resource/validation/validation.go */
export function validateResourceClaimTemplate(
  { metadata, spec }: ResourceClaimTemplate,
  rules: DeviceClaimRules,
): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true }),
    ...validateTemplateMetadata(spec.metadata, SPEC.child('metadata')),
    ...validateDeviceClaim(spec.spec.devices, rules, SPEC.child('spec', 'devices')),
  ];
}

/** The spec is immutable, so nothing else is validated. Upstream: ValidateResourceClaimTemplateUpdate */
export function validateResourceClaimTemplateUpdate(
  template: ResourceClaimTemplate,
  old: ResourceClaimTemplate,
): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(template.metadata, old.metadata),
    ...validateImmutableValue(ResourceClaimTemplateSpec, template.spec, old.spec, SPEC),
  ];
}
