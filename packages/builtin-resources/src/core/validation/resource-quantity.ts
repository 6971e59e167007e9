import { type FieldError, type FieldPath, fieldInvalid, printedAsJson } from '@apiserver/apimachinery/field';
import { Quantity } from '@apiserver/apimachinery/values';
import { isIntegerResource } from './resource-name.js';

/**
 * Validates an amount: not negative, and an integer if the resource requires it.
 * Upstream: ValidateResourceQuantityValue of pkg/apis/core/validation/validation.go
 */
export function validateResourceQuantity(resource: string, amount: string, path: FieldPath): FieldError[] {
  const quantity = Quantity.parse(amount);
  const errors: FieldError[] = [];
  if (quantity.sign < 0) errors.push(fieldInvalid(path, quantity.toString(), 'must be greater than or equal to 0'));
  if (isIntegerResource(resource) && quantity.milliValue() % 1000n !== 0n) {
    errors.push(fieldInvalid(path, printedAsJson(quantity.toString()), 'must be an integer'));
  }
  return errors;
}
