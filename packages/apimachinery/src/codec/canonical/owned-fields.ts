import { compareKeys } from '../../json/compare-keys.js';
import { isMembers } from '../../json/is-members.js';

/**
 * Reports whether a value is certainly that of its text: objects without other members, whose names are in order. The
 * server writes the fields of managers so.
 */
export function areSortedFields(value: unknown): boolean {
  if (!isMembers(value)) return false;
  let previous: string | undefined;
  for (const name in value) {
    if (!name.isWellFormed() || (previous !== undefined && compareKeys(previous, name) > 0)) return false;
    previous = name;
    if (!areSortedFields(value[name])) return false;
  }
  return true;
}
