import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';

/** Refuses `..` in a path. Upstream: validatePathNoBacksteps of pkg/apis/core/validation/validation.go */
export function validatePathNoBacksteps(text: string, path: FieldPath): FieldError[] {
  return text.split('/').includes('..') ? [fieldInvalid(path, text, "must not contain '..'")] : [];
}

/** Validates a relative path. Upstream: validateLocalDescendingPath */
export function validateLocalDescendingPath(text: string, path: FieldPath): FieldError[] {
  const absolute = text.startsWith('/') ? [fieldInvalid(path, text, 'must be a relative path')] : [];
  return [...absolute, ...validatePathNoBacksteps(text, path)];
}

/** Validates a relative path that does not start with `..`. Upstream: ValidateLocalNonReservedPath */
export function validateLocalNonReservedPath(text: string, path: FieldPath): FieldError[] {
  const errors = validateLocalDescendingPath(text, path);
  if (text.startsWith('..') && !text.startsWith('../')) {
    errors.push(fieldInvalid(path, text, "must not start with '..'"));
  }
  return errors;
}
