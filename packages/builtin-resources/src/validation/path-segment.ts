import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { validatePathSegmentName } from '@apiserver/apimachinery/validation';

/** A text that is there and could stand in a path. `missing` is what is said of none. */
export function validateSegment(text: string, path: FieldPath, missing = ''): FieldError[] {
  if (text === '') return [fieldRequired(path, missing)];
  return validatePathSegmentName(text, false).map((fault) => fieldInvalid(path, text, fault));
}
