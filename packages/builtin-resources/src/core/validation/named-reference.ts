import { type FieldError, type FieldPath, fieldInvalid, type ValidateName } from '@apiserver/apimachinery';

/** A text that must be a name of another kind. */
export function validateNamed(name: string, path: FieldPath, validateName: ValidateName): FieldError[] {
  return validateName(name, false).map((fault) => fieldInvalid(path, name, fault));
}
