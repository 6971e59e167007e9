import { cloneJson } from './clone-json.js';
import { isMembers } from './is-members.js';

/** Objects, and lists in them, that had empty lists or maps in the form in which a client sent them. */
const emptied = new WeakSet<object>();

/** Notes an object, or a list in one, that lacks empty lists or maps in its canonical form. */
export function noteEmptied(value: unknown): void {
  if (typeof value === 'object' && value !== null) emptied.add(value);
}

/**
 * Reports whether a value is, or has, a list that is noted. To Go, which compares lists by all that they hold, it
 * differs from the stored one. Upstream: listReflect.EqualsUsing in
 * sigs.k8s.io/structured-merge-diff/v6/value/listreflect.go
 */
export function hasEmptiedList(value: unknown): boolean {
  if (Array.isArray(value)) return emptied.has(value);
  if (!isMembers(value)) return false;
  for (const name in value) if (hasEmptiedList(value[name])) return true;
  return false;
}

/** Notes an object that another version of a sent one was made of, with the lists of that one. */
export function keepEmptied<T extends object>(sent: object, converted: T): T {
  if (emptied.has(sent)) emptied.add(converted);
  return converted;
}

/** A deep copy of an object as it was sent, with what is noted of its lists. */
export function cloneSent<T extends object>(object: T): T {
  const copy = cloneJson(object);
  if (emptied.has(object)) copyNotes(object, copy);
  return copy;
}

function copyNotes(source: unknown, copy: unknown): void {
  if (Array.isArray(source) && Array.isArray(copy)) {
    if (emptied.has(source)) noteEmptied(copy);
    for (const [index, item] of source.entries()) copyNotes(item, copy[index]);
  } else if (isMembers(source) && isMembers(copy)) {
    for (const name in source) copyNotes(source[name], copy[name]);
  }
}
