import { cloneJson } from './clone-json.js';
import { isMembers } from './is-members.js';

/** Structs and lists that a client sent with empty lists or maps, or with quantities in another notation. */
const uncanonical = new WeakSet<object>();

/** Notes a struct or a list whose canonical form lacks empty lists or maps, or the notation of quantities. */
export function noteUncanonical(value: unknown): void {
  if (typeof value === 'object' && value !== null) uncanonical.add(value);
}

/**
 * Reports whether a client sent a struct or a list with empty lists or maps, or quantities in another notation, inside.
 * To Go's reflect.DeepEqual it differs from the stored one.
 */
export function isUncanonical(value: object): boolean {
  return uncanonical.has(value);
}

/**
 * Reports whether a value is, or has, a list that is noted. To Go, which compares lists by all that they hold, it
 * differs from the stored one. Upstream: listReflect.EqualsUsing in
 * sigs.k8s.io/structured-merge-diff/v6/value/listreflect.go
 */
export function hasUncanonicalList(value: unknown): boolean {
  if (Array.isArray(value)) return uncanonical.has(value);
  if (!isMembers(value)) return false;
  for (const name in value) if (hasUncanonicalList(value[name])) return true;
  return false;
}

/** Notes an object that another version of a sent one was made of, with the lists of that one. */
export function keepUncanonical<T extends object>(sent: object, converted: T): T {
  if (uncanonical.has(sent)) uncanonical.add(converted);
  return converted;
}

/** A deep copy of an object as it was sent, with what is noted of its lists. */
export function cloneSent<T extends object>(object: T): T {
  const copy = cloneJson(object);
  if (uncanonical.has(object)) copyNotes(object, copy);
  return copy;
}

function copyNotes(source: unknown, copy: unknown): void {
  if (typeof source !== 'object' || source === null) return;
  if (uncanonical.has(source)) noteUncanonical(copy);
  if (Array.isArray(source) && Array.isArray(copy)) {
    for (const [index, item] of source.entries()) copyNotes(item, copy[index]);
  } else if (isMembers(source) && isMembers(copy)) {
    for (const name in source) copyNotes(source[name], copy[name]);
  }
}
