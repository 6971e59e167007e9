import {
  type FieldError,
  type FieldPath,
  fieldNotSupported,
  fieldRequired,
  printedAsJson,
} from '@apiserver/apimachinery/field';

/** A value outside an enumeration. The message lists `supported` in the order given. */
export function notSupported(path: FieldPath, value: unknown, supported: readonly string[]): FieldError {
  return fieldNotSupported(path, printedAsJson(value), supported);
}

/** A value that must be one of an enumeration; the empty text is none. An absent one is for the caller to judge. */
export function validateEnum(value: string, supported: readonly string[], path: FieldPath): FieldError[] {
  return supported.includes(value) ? [] : [notSupported(path, value, supported)];
}

/** A value that must be there and one of an enumeration. */
export function validateRequiredEnum(
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
): FieldError[] {
  return value ? validateEnum(value, supported, path) : [fieldRequired(path, '')];
}
