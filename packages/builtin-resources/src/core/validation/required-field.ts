import { type FieldError, type FieldPath, fieldRequired } from '@apiserver/apimachinery/field';

/** A text or list that must not be empty. */
export function validateRequired(value: string | readonly unknown[] | null | undefined, path: FieldPath): FieldError[] {
  return value && value.length > 0 ? [] : [fieldRequired(path, '')];
}
