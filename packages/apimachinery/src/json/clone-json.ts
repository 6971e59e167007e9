import { LaterMembers } from './later-members.js';
import { setOwn } from './set-own.js';

/**
 * A deep copy of a JSON value. Key order is kept; the copy is never frozen. Only JSON values are allowed. Hand-written:
 * several times faster than structuredClone or a round trip through text.
 */
export function cloneJson<T>(value: T): T {
  return cloneValue(value) as T;
}

function cloneValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return cloneArray(value);
  return cloneObject(value as { readonly [key: string]: unknown });
}

function cloneArray(source: readonly unknown[]): unknown[] {
  const copy = new Array<unknown>(source.length);
  for (let i = 0; i < source.length; i++) copy[i] = cloneValue(source[i]);
  return copy;
}

function cloneObject(source: { readonly [key: string]: unknown }): { [key: string]: unknown } {
  const copy: { [key: string]: unknown } = {};
  for (const key in source) {
    if (key === '__proto__') setOwn(copy, key, cloneValue(source[key]));
    else copy[key] = cloneValue(source[key]);
  }
  return copy;
}

/** `cloneJson` in steps of a few milliseconds, for large values. */
export function* cloneJsonSteps<T>(value: T): Generator<void, T> {
  const later = new LaterMembers();
  const copy = cloneWithin(value, later);
  yield* later.run();
  return copy as T;
}

function cloneWithin(value: unknown, later: LaterMembers): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => cloneWithin(item, later));
  const source = value as { readonly [key: string]: unknown };
  const large = later.put(source, (member) => cloneWithin(member, later));
  if (large !== undefined) return large;
  const copy: { [key: string]: unknown } = {};
  for (const key in source) setOwn(copy, key, cloneWithin(source[key], later));
  return copy;
}
