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
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
): FieldError[] {
  if (annotations === undefined) return [];
  const errors: FieldError[] = [];
  let size = 0;
  let isWrong = false;
  for (const key in annotations) {
    isWrong ||= isLabelKey(lowerCase(key)).length > 0;
    size += byteLength(key) + byteLength(annotations[key] ?? '');
  }
  // Most keys are valid and need no order.
  if (isWrong) {
    for (const key of Object.keys(annotations).sort()) {
      const faults = isLabelKey(lowerCase(key));
      for (const fault of faults) errors.push({ ...fieldInvalid(path, key, fault), origin: 'format=k8s-label-key' });
    }
  }
  if (size > TOTAL_ANNOTATION_SIZE_LIMIT) errors.push(fieldTooLong(path, TOTAL_ANNOTATION_SIZE_LIMIT));
  return errors;
}
