import {
  type FieldError,
  type FieldPath,
  fieldNotSupported,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';

/** The error for a value outside of an enumeration. The message lists `supported` in the order given. */
export function notSupported(path: FieldPath, value: unknown, supported: readonly string[]): FieldError {
  return fieldNotSupported(path, printedAsJson(value), supported);
}

/** Validates a value of an enumeration; an empty string is invalid. The caller checks whether it is required. */
export function validateEnum(value: string, supported: readonly string[], path: FieldPath): FieldError[] {
  return supported.includes(value) ? [] : [notSupported(path, value, supported)];
}

/** Validates a required value of an enumeration. */
export function validateRequiredEnum(
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
): FieldError[] {
  return value ? validateEnum(value, supported, path) : [fieldRequired(path, '')];
}
