import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';

/** A field of a one-of must be true or absent. */
export function validateSetToTrue(value: boolean | undefined, path: FieldPath): FieldError[] {
  return value === false ? [fieldInvalid(path, value, 'must be either unset or set to true')] : [];
}
