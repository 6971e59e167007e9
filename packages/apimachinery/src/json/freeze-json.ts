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
  if (Array.isArray(value)) {
    for (const element of value) freezeValue(element);
  } else {
    const object = value as { readonly [key: string]: unknown };
    for (const key of Object.keys(object)) freezeValue(object[key]);
  }
  Object.freeze(value);
}
