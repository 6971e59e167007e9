import { type FieldError, fieldInvalid, fieldTooLong } from '../field/field-error.js';
import type { FieldPath } from '../field/path.js';
import { printedAsJson } from '../field/print-value.js';
import type { DeepReadonly } from '../types/json.js';
import type { ManagedFieldsEntry } from '../types/object-meta.js';
import { isLongerThan } from './messages.js';
import { unprintableCharacters } from './other-formats.js';

const MAX_SUBRESOURCE_LENGTH = 256;
const MAX_FIELD_MANAGER_LENGTH = 128;

/**
 * Checks the metadata of managed fields, not the field sets.
 * Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go
 */
export function validateManagedFields(
  entries: DeepReadonly<ManagedFieldsEntry[]> | undefined,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (entries === undefined) return errors;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i];
    if (entry === undefined || isValidEntry(entry)) continue;
    errors.push(...validateManagedFieldsEntry(entry, path.index(i)));
  }
  return errors;
}

/** True for nearly all entries, which then need neither a path nor a list. */
function isValidEntry({ operation, fieldsType, manager, subresource }: DeepReadonly<ManagedFieldsEntry>): boolean {
  return (
    (operation === 'Apply' || operation === 'Update') &&
    (fieldsType === undefined || fieldsType === 'FieldsV1') &&
    (manager === undefined || isPlainName(manager)) &&
    (subresource === undefined || isPlainName(subresource))
  );
}

/** Short enough for a subresource and for a manager, and of printable characters. */
function isPlainName(name: string): boolean {
  return /^[ -~]{0,128}$/.test(name);
}

function validateManagedFieldsEntry(entry: DeepReadonly<ManagedFieldsEntry>, path: FieldPath): FieldError[] {
  const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry;
  const errors: FieldError[] = [];
  if (operation !== 'Apply' && operation !== 'Update') {
    errors.push(fieldInvalid(path.child('operation'), printedAsJson(operation), 'must be `Apply` or `Update`'));
  }
  if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
    errors.push(fieldInvalid(path.child('fieldsType'), fieldsType, 'must be `FieldsV1`'));
  }
  errors.push(...validateFieldManager(manager, path.child('manager')));
  if (isLongerThan(subresource, MAX_SUBRESOURCE_LENGTH)) {
    errors.push(fieldTooLong(path.child('subresource'), MAX_SUBRESOURCE_LENGTH));
  }
  return errors;
}

/** Checks the name of a field manager: at most 128 bytes, all printable. Empty is valid. */
export function validateFieldManager(manager: string, path: FieldPath): FieldError[] {
  if (isPlainName(manager)) return [];
  const errors = unprintableCharacters(manager).map(({ code, position }) =>
    fieldInvalid(path, manager, `invalid character ${code} (at position ${position})`),
  );
  if (isLongerThan(manager, MAX_FIELD_MANAGER_LENGTH)) errors.unshift(fieldTooLong(path, MAX_FIELD_MANAGER_LENGTH));
  return errors;
}
