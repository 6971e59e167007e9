import { type FieldError, FieldPath, fieldInvalid, fieldRequired, fieldTooLong } from '@apiserver/apimachinery/field';
import { lowerCase } from '@apiserver/apimachinery/text';
import { byteLength } from '@apiserver/apimachinery/validation';
import { validateQualifiedName } from '../core/validation/dns-fields.js';

const MAX_PARAMETERS = 512;
/** Limit of all names and values together. */
const MAX_PARAMETER_BYTES = 256 * 1024;
const PARAMETERS = FieldPath.of('parameters');

/** Validates the driver of a class. Upstream: validateProvisioner of pkg/apis/storage/validation/validation.go */
export function validateProvisioner(provisioner: string, path: FieldPath): FieldError[] {
  if (provisioner === '') return [fieldRequired(path, '')];
  return validateQualifiedName(lowerCase(provisioner), path);
}

/**
 * Validates the driver's parameters in a class.
 * Upstream: validateParameters of pkg/apis/storage/validation/validation.go
 */
export function validateParameters(parameters: Readonly<Record<string, string>>, mayBeEmpty: boolean): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > MAX_PARAMETERS) return [fieldTooLong(PARAMETERS, MAX_PARAMETERS)];
  const errors = entries
    .filter(([name]) => name === '')
    .map(([name]) => fieldInvalid(PARAMETERS, name, 'field can not be empty.'));
  const total = entries.reduce((sum, [name, value]) => sum + byteLength(name) + byteLength(value), 0);
  if (total > MAX_PARAMETER_BYTES) errors.push(fieldTooLong(PARAMETERS, MAX_PARAMETER_BYTES));
  if (entries.length > 0 || mayBeEmpty) return errors;
  return [fieldRequired(PARAMETERS, 'must contain at least one key/value pair')];
}
