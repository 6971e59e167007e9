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
  const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  // By index: an iterator makes an object for every step as long as this is not compiled, which in a start it is not.
  for (let i = 0; i < parts.length; i++) freezeValue(parts[i]);
  Object.freeze(value);
}
