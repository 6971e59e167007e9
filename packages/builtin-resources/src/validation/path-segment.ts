import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldRequired,
  validatePathSegmentName,
} from '@apiserver/apimachinery';

/** A text that is there and could stand in a path. `missing` is what is said of none. */
export function validateSegment(text: string, path: FieldPath, missing = ''): FieldError[] {
  if (text === '') return [fieldRequired(path, missing)];
  return validatePathSegmentName(text, false).map((fault) => fieldInvalid(path, text, fault));
}
