import { LaterMembers } from './later-members.js';
import { setOwn } from './set-own.js';

/**
 * A deep copy of a JSON value. Key order is kept; the copy is never frozen. Only JSON values are allowed. Hand-written:
 * several times faster than structuredClone or a round trip through text.
 */
export function cloneJson<T>(value: T): T {
  return cloneValue(value) as T;
}

/** `cloneJson` in steps of a few milliseconds, for large values. */
export function* cloneJsonSteps<T>(value: T): Generator<void, T> {
  const later = new LaterMembers();
  const copy = cloneValue(value, later);
  yield* later.run();
  return copy as T;
}

/** `later` takes the members of large objects. */
function cloneValue(value: unknown, later?: LaterMembers): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return cloneArray(value, later);
  return cloneObject(value as { readonly [key: string]: unknown }, later);
}

function cloneArray(source: readonly unknown[], later: LaterMembers | undefined): unknown[] {
  const copy = new Array<unknown>(source.length);
  for (let i = 0; i < source.length; i++) copy[i] = cloneValue(source[i], later);
  return copy;
}

function cloneObject(
  source: { readonly [key: string]: unknown },
  later: LaterMembers | undefined,
): { [key: string]: unknown } {
  const large = later?.put(source, (member) => cloneValue(member, later));
  if (large !== undefined) return large;
  const copy: { [key: string]: unknown } = {};
  for (const key in source) {
    if (key === '__proto__') setOwn(copy, key, cloneValue(source[key], later));
    else copy[key] = cloneValue(source[key], later);
  }
  return copy;
}
