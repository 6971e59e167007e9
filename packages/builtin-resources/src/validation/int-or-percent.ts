import { type FieldError, type FieldPath, fieldInvalid, printedAsJson } from '@apiserver/apimachinery/field';
import { isValidPercent, validateNonnegative } from '@apiserver/apimachinery/validation';
import type { IntOrString } from '@apiserver/apimachinery/values';

/** Validates a non-negative count or percentage. Upstream: ValidatePositiveIntOrPercent of pkg/apis/apps/validation */
export function validatePositiveIntOrPercent(value: IntOrString, path: FieldPath): FieldError[] {
  if (typeof value === 'number') return validateNonnegative(value, path);
  return isValidPercent(value).map((fault) => fieldInvalid(path, printedAsJson(value), fault));
}

/** Limits a percentage to 100; counts are not checked. Upstream: IsNotMoreThan100Percent */
export function validateNotMoreThan100Percent(value: IntOrString, path: FieldPath): FieldError[] {
  if (typeof value === 'number' || isValidPercent(value).length > 0) return [];
  if (Number(value.slice(0, -1)) <= 100) return [];
  return [fieldInvalid(path, printedAsJson(value), 'must not be greater than 100%')];
}
