import { type FieldError, type FieldPath, fieldRequired } from '@apiserver/apimachinery/field';

/** Requires a non-empty string or list. */
export function validateRequired(value: string | readonly unknown[] | null | undefined, path: FieldPath): FieldError[] {
  return value && value.length > 0 ? [] : [fieldRequired(path, '')];
}
