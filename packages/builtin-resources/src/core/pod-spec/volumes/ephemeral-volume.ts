import type { EphemeralVolumeSource } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldRequired } from '@apiserver/apimachinery/field';
import {
  STRICT_CLAIM_RULES,
  validatePersistentVolumeClaimSpec,
} from '../../persistent-volume-claim/claim-spec-validation.js';
import { validateTemplateMetadata } from '../../validation/template-metadata.js';

/** Upstream: validateEphemeralVolumeSource of pkg/apis/core/validation/validation.go */
export function validateEphemeralVolume(source: EphemeralVolumeSource, path: FieldPath): FieldError[] {
  const template = source.volumeClaimTemplate;
  const templatePath = path.child('volumeClaimTemplate');
  if (template === undefined) return [fieldRequired(templatePath, '')];
  return [
    ...validateTemplateMetadata(template.metadata ?? {}, templatePath.child('metadata')),
    ...validatePersistentVolumeClaimSpec(template.spec, STRICT_CLAIM_RULES, templatePath.child('spec')),
  ];
}
