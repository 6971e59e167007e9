import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { Quantity } from '@apiserver/apimachinery/values';

/** Requires a positive amount. Upstream: ValidatePositiveQuantityValue of pkg/apis/core/validation/validation.go */
export function validatePositiveAmount(amount: string, path: FieldPath): FieldError[] {
  const quantity = Quantity.parse(amount);
  return quantity.sign > 0 ? [] : [fieldInvalid(path, quantity.toString(), 'must be greater than zero')];
}

/** Requires a non-negative amount. Upstream: validateBasicResource of pkg/apis/core/validation/validation.go */
export function validateBasicAmount(amount: string, path: FieldPath): FieldError[] {
  const value = Quantity.parse(amount).value();
  return value >= 0n ? [] : [fieldInvalid(path, value, 'must be a valid resource quantity')];
}
