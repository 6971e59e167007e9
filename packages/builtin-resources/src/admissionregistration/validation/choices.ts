import { type FieldError, type FieldPath, fieldRequired } from '@apiserver/apimachinery/field';
import { validateEnum } from '../../validation/enum-field.js';

/** Values of `failurePolicy`. */
export const FAILURE_POLICIES = ['Fail', 'Ignore'];
/** Values of `matchPolicy`. */
export const MATCH_POLICIES = ['Equivalent', 'Exact'];
/** Values of `reinvocationPolicy`. */
export const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];

/** Validates an optional value of an enumeration. */
export function validateChoice(
  value: string | null | undefined,
  supported: readonly string[],
  path: FieldPath,
): FieldError[] {
  return value === undefined || value === null ? [] : validateEnum(value, supported, path);
}

/** Validates a required value of an enumeration. */
export function validateRequiredChoice(
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
): FieldError[] {
  return value === undefined ? [fieldRequired(path, '')] : validateChoice(value, supported, path);
}
