import type { ObjectMeta } from '@apiserver/apimachinery';
import { type FieldError, type FieldPath, fieldForbidden } from '@apiserver/apimachinery/field';
import { validateAnnotations, validateLabels } from '@apiserver/apimachinery/validation';

/**
 * Of the metadata of a template that objects of their own are made from, only labels and annotations have a meaning.
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

/** Upstream names the fields as its struct does, with a small first letter. */
function goFieldName(field: string): string {
  return field === 'uid' ? 'uID' : field;
}
