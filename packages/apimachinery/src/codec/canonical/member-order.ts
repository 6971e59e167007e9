import { compareKeys, sortKeys } from '../../json/compare-keys.js';
import { setOwn } from '../../json/set-own.js';
import type { Members } from './canonical-context.js';
import type { DecodingSteps } from './decoding-steps.js';

/** A copy with the members in order of key, as far as a JavaScript object can have that order. */
export function sortMembers(source: Members): Members {
  const out: Members = {};
  for (const key of sortKeys(Object.keys(source))) setOwn(out, key, source[key]);
  return out;
}

/** Sorts the members of an object in place, because other objects refer to it. */
export function sortInPlace(object: Members): void {
  if (hasOrder(object)) return;
  const sorted = sortMembers(object);
  for (const key of Object.keys(object)) delete object[key];
  for (const key of Object.keys(sorted)) setOwn(object, key, sorted[key]);
}

/** `sortInPlace` in steps, for objects of hundreds of thousands of members. */
export function* sortInPlaceSteps(object: Members): DecodingSteps<void> {
  if (hasOrder(object)) return;
  const sorted = yield* sortMembersSteps(object);
  for (const key of Object.keys(object)) delete object[key];
  for (const key of Object.keys(sorted)) setOwn(object, key, sorted[key]);
}

/** Number of keys that one step sorts. */
const RUN = 4_096;

/** The object itself if its keys are in order; otherwise a sorted copy. In steps, for objects of very many members. */
export function* orderedSteps(source: Members): DecodingSteps<Members> {
  const keys = Object.keys(source);
  for (let i = 1; i < keys.length; i++) {
    if (compareKeys(keys[i - 1] as string, keys[i] as string) > 0) return yield* sortMembersSteps(source, keys);
    if (i % RUN === 0) yield;
  }
  return source;
}

/** `sortMembers` in steps, for objects of hundreds of thousands of members. */
function* sortMembersSteps(source: Members, all: readonly string[] = Object.keys(source)): DecodingSteps<Members> {
  const keys = yield* sortedKeysSteps(all);
  const out: Members = {};
  for (const [i, key] of keys.entries()) {
    setOwn(out, key, source[key]);
    if (i % RUN === RUN - 1) yield;
  }
  return out;
}

/** Keys in the order in which JSON shows them, sorted in steps. */
export function sortedKeysSteps(keys: readonly string[]): DecodingSteps<readonly string[]> {
  return sortSteps(keys, sortKeys, compareKeys);
}

/** Sorts keys in steps of a few thousand. `sort` sorts one run, perhaps in place, in the order of `compare`. */
export function* sortSteps(
  keys: readonly string[],
  sort: (keys: string[]) => readonly string[],
  compare: (a: string, b: string) => number,
): DecodingSteps<readonly string[]> {
  let runs: (readonly string[])[] = [];
  for (let start = 0; start < keys.length; start += RUN) {
    if (start > 0) yield;
    runs.push(sort(keys.slice(start, start + RUN)));
  }
  while (runs.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* mergeSteps(runs[i] ?? [], runs[i + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeSteps(
  a: readonly string[],
  b: readonly string[],
  compare: (a: string, b: string) => number,
): DecodingSteps<readonly string[]> {
  const out: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const takesA = j === b.length || (i < a.length && compare(a[i] as string, b[j] as string) <= 0);
    out.push((takesA ? a[i++] : b[j++]) as string);
    if (out.length % RUN === 0) yield;
  }
  return out;
}

/** Reports whether an object's keys are in order. */
export function hasOrder(object: Members): boolean {
  let previous: string | undefined;
  for (const key in object) {
    if (previous !== undefined && compareKeys(previous, key) > 0) return false;
    previous = key;
  }
  return true;
}
