import type { DeepReadonly } from '../types/json.js';

/**
 * Deep-freezes a JSON value and returns it, so that caches can share it. A frozen part is assumed to be frozen to its
 * leaves: freezing a value again costs nothing.
 */
export function freezeJson<T>(value: T): DeepReadonly<T> {
  freezeValue(value);
  return value as DeepReadonly<T>;
}

function freezeValue(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  // By index and by name: iterators and lists of members allocate, and every written object is frozen.
  if (Array.isArray(value)) for (let i = 0; i < value.length; i++) freezeValue(value[i]);
  else for (const key in value) freezeValue((value as { readonly [key: string]: unknown })[key]);
  Object.freeze(value);
}

/** Number of values per step. */
const STEP = 16_384;

/**
 * `freezeJson` in steps of a few milliseconds, for large values that are not yet shared: between steps outer parts are
 * already frozen, but inner ones are not.
 */
export function* freezeJsonSteps<T>(value: T): Generator<void, DeepReadonly<T>> {
  const waiting: unknown[] = [value];
  let looked = 0;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    for (const member of Array.isArray(next) ? next : membersOf(next)) {
      if (typeof member === 'object' && member !== null) waiting.push(member);
      if (++looked % STEP === 0) yield;
    }
    Object.freeze(next);
  }
  return value as DeepReadonly<T>;
}

function* membersOf(object: object): Generator<unknown> {
  for (const key in object) yield (object as { readonly [key: string]: unknown })[key];
}
