import { setOwn } from '../json/set-own.js';
import type { Members } from './canonical-context.js';
import { compareKeys, sortKeys } from './compare-keys.js';

/** The same members in order of key, as far as JavaScript lets an object have one. */
export function sortMembers(source: Members): Members {
  const out: Members = {};
  for (const key of sortKeys(Object.keys(source))) setOwn(out, key, source[key]);
  return out;
}

/** Whether an object's keys come in order. */
export function hasOrder(object: Members): boolean {
  let previous: string | undefined;
  for (const key in object) {
    if (previous !== undefined && compareKeys(previous, key) > 0) return false;
    previous = key;
  }
  return true;
}
