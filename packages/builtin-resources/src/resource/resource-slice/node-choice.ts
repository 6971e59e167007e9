import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';

/** Of a choice among several fields: true, or not there at all. */
export function validateSetToTrue(value: boolean | undefined, path: FieldPath): FieldError[] {
  return value === false ? [fieldInvalid(path, value, 'must be either unset or set to true')] : [];
}
