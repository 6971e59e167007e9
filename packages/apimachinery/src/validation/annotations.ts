import { type FieldError, fieldInvalid, fieldTooLong } from '../field/field-error.js';
import type { FieldPath } from '../field/path.js';
import { lowerCase } from '../text/lower-case.js';
import { isLabelKey } from './label.js';
import { byteLength } from './messages.js';

/** Maximum number of bytes of all keys and values of an object's annotations together. */
export const TOTAL_ANNOTATION_SIZE_LIMIT = 256 * 1024;

/**
 * Checks the keys of annotations (as label keys, but ignoring case) and their total size.
 *
 * Upstream: k8s.io/apimachinery/pkg/api/validation/objectmeta.go
 */
export function validateAnnotations(annotations: Annotations | undefined, path: FieldPath): FieldError[] {
  if (annotations === undefined) return [];
  return [...validateAnnotationKeys(annotations, path), ...validateAnnotationsSize(annotations, path)];
}

type Annotations = Readonly<Record<string, string>>;

/** The errors of the keys alone, in their order. */
export function validateAnnotationKeys(annotations: Annotations, path: FieldPath): FieldError[] {
  for (const key in annotations) if (faultsOf(key).length > 0) return keyErrors(annotations, path);
  return [];
}

// Most keys are valid and need no order.
function keyErrors(annotations: Annotations, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of Object.keys(annotations).sort()) {
    for (const fault of faultsOf(key)) {
      errors.push({ ...fieldInvalid(path, key, fault), origin: 'format=k8s-label-key' });
    }
  }
  return errors;
}

function faultsOf(key: string): readonly string[] {
  return isLabelKey(lowerCase(key));
}

/** The error of the total size alone. Upstream: ValidateAnnotationsSize of the same file */
export function validateAnnotationsSize(annotations: Annotations, path: FieldPath): FieldError[] {
  let size = 0;
  for (const key in annotations) size += byteLength(key) + byteLength(annotations[key] ?? '');
  return size > TOTAL_ANNOTATION_SIZE_LIMIT ? [fieldTooLong(path, TOTAL_ANNOTATION_SIZE_LIMIT)] : [];
}
