import type { ObjectMeta } from '@apiserver/apimachinery';
import { type FieldError, type FieldPath, fieldForbidden } from '@apiserver/apimachinery/field';
import { validateAnnotations, validateLabels } from '@apiserver/apimachinery/validation';

/**
 * Only labels and annotations are supported in the metadata of a template for stand-alone objects.
 * Upstream: ValidateTemplateObjectMeta of pkg/apis/core/validation/validation.go
 */
export function validateTemplateMetadata(metadata: ObjectMeta, path: FieldPath): FieldError[] {
  const others = Object.entries(metadata).filter(
    ([field, value]) => field !== 'annotations' && field !== 'labels' && value !== null && value !== undefined,
  );
  return [
    ...validateAnnotations(metadata.annotations, path.child('annotations')),
    ...validateLabels(metadata.labels, path.child('labels')),
    ...others.map(([field]) => fieldForbidden(path.child(goFieldName(field)), 'cannot be set')),
  ];
}

/** Upstream uses the struct's field names, with a lower-case first letter. */
function goFieldName(field: string): string {
  return field === 'uid' ? 'uID' : field;
}
