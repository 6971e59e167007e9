import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { isValidPortName, isValidPortNum } from '@apiserver/apimachinery/validation';
import type { IntOrString } from '@apiserver/apimachinery/values';

/**
 * Validates a port given by number or name.
 * Upstream: ValidatePortNumOrName of pkg/apis/core/validation/validation.go
 */
export function validatePortNumOrName(port: IntOrString, path: FieldPath): FieldError[] {
  const faults = typeof port === 'number' ? isValidPortNum(port) : isValidPortName(port);
  return faults.map((fault) => fieldInvalid(path, port, fault));
}
