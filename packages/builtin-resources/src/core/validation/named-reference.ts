import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import type { ValidateName } from '@apiserver/apimachinery/validation';

/** Validates the name of an object of another kind. */
export function validateNamed(name: string, path: FieldPath, validateName: ValidateName): FieldError[] {
  return validateName(name).map((fault) => fieldInvalid(path, name, fault));
}
