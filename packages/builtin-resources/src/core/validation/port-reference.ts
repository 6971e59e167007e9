import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  type IntOrString,
  isValidPortName,
  isValidPortNum,
} from '@apiserver/apimachinery';

/** A port by number or by name. Upstream: ValidatePortNumOrName of pkg/apis/core/validation/validation.go */
export function validatePortNumOrName(port: IntOrString, path: FieldPath): FieldError[] {
  const faults = typeof port === 'number' ? isValidPortNum(port) : isValidPortName(port);
  return faults.map((fault) => fieldInvalid(path, port, fault));
}
