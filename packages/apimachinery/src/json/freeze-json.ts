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
