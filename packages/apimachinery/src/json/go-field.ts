import type { Members } from './is-members.js';

/** Reports whether Go's encoding/json decodes a member of this name into a field with an ASCII name. */
export function namesGoField(name: string, field: string): boolean {
  if (name === field) return true;
  // The Kelvin sign is a "k" in lower case. Of all other characters, the long "s" alone folds to a letter of ASCII.
  return name.length === field.length && name.toLowerCase().replaceAll('ſ', 's') === field.toLowerCase();
}

/**
 * The value that a field of a Go struct gets: names match regardless of case, and the last value counts that is not
 * null. Undefined if there is none.
 * Upstream: encoding/json
 */
export function goField(members: Readonly<Members>, field: string): unknown {
  let found: unknown;
  for (const name of Object.keys(members)) {
    if (namesGoField(name, field)) found = members[name] ?? found;
  }
  return found;
}
