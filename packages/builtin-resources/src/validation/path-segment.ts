import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { validatePathSegmentName } from '@apiserver/apimachinery/validation';

/** Validates a required path segment. `missing` is the message for an absent one. */
export function validateSegment(text: string, path: FieldPath, missing = ''): FieldError[] {
  if (text === '') return [fieldRequired(path, missing)];
  return validatePathSegmentName(text).map((fault) => fieldInvalid(path, text, fault));
}
