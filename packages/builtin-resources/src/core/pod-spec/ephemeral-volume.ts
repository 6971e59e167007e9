import type { EphemeralVolumeSource } from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldRequired,
  validateAnnotations,
  validateLabels,
} from '@apiserver/apimachinery';
import {
  STRICT_CLAIM_RULES,
  validatePersistentVolumeClaimSpec,
} from '../persistent-volume-claim/claim-spec-validation.js';

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

/** Of the metadata of a template, only labels and annotations have a meaning. Upstream: ValidateTemplateObjectMeta */
function validateTemplateMetadata(
  metadata: NonNullable<EphemeralVolumeSource['volumeClaimTemplate']>['metadata'],
  path: FieldPath,
): FieldError[] {
  const others = Object.entries(metadata).filter(
    ([field, value]) => field !== 'annotations' && field !== 'labels' && value !== null && value !== undefined,
  );
  return [
    ...validateAnnotations(metadata.annotations, path.child('annotations')),
    ...validateLabels(metadata.labels, path.child('labels')),
    ...others.map(([field]) => fieldForbidden(path.child(goFieldName(field)), 'cannot be set')),
  ];
}

/** Upstream names the fields as its struct does, with a small first letter. */
function goFieldName(field: string): string {
  return field === 'uid' ? 'uID' : field;
}
