import type { DeepReadonly } from '../types/json.js';

/**
 * Freezes a JSON value through and through and returns it, so that a cache can share it with everyone.
 * A part that is already frozen is taken as frozen to its leaves: freezing what was frozen before costs nothing.
 */
export function freezeJson<T>(value: T): DeepReadonly<T> {
  freezeValue(value);
  return value as DeepReadonly<T>;
}

function freezeValue(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  // By index and by name: iterators and lists of members are objects, and what is written is frozen each time.
  if (Array.isArray(value)) for (let i = 0; i < value.length; i++) freezeValue(value[i]);
  else for (const key in value) freezeValue((value as { readonly [key: string]: unknown })[key]);
  Object.freeze(value);
}

/** Values that are looked at in one step. */
const STEP = 16_384;

/**
 * `freezeJson` in steps of a few milliseconds, for large values that nobody else has yet: between two steps outer parts are
 * frozen already, and inner ones are not.
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
