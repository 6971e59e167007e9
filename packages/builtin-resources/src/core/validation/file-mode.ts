import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';

/** Validates permissions of a file; an absent value is valid. */
export function validateFileMode(mode: number | undefined, path: FieldPath): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [fieldInvalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}
