import { compareKeys } from '../../json/compare-keys.js';
import { setOwn } from '../../json/set-own.js';
import type { CanonicalContext, Members } from './canonical-context.js';
import type { DecodingSteps } from './decoding-steps.js';
import { sortedKeysSteps } from './member-order.js';

/** Members that become canonical between two pauses. */
const MANY_LATER = 4_096;

/** A large map whose members become canonical later, in place; undefined for a small one. */
export function laterMap(
  source: Members,
  context: CanonicalContext,
  canonicalize: (item: unknown) => unknown,
): unknown {
  const keys = Object.keys(source);
  if (keys.length < MANY_LATER) return undefined;
  context.later?.add(settleSteps(source, keys, canonicalize));
  context.members += keys.length;
  return source;
}

/**
 * Makes the members of a map canonical, and then sorts them. All are removed before they are added in order: V8 keeps
 * the place of a removed member until the map is nearly empty.
 */
function* settleSteps(
  source: Members,
  keys: readonly string[],
  canonicalize: (item: unknown) => unknown,
): DecodingSteps<void> {
  let ordered = true;
  let previous = '';
  for (const [i, key] of keys.entries()) {
    if (i % MANY_LATER === 0) yield;
    const item = source[key];
    const canonical = canonicalize(item);
    if (canonical !== item) setOwn(source, key, canonical);
    if (compareKeys(previous, key) > 0) ordered = false;
    previous = key;
  }
  if (ordered) return;
  const sorted = yield* sortedKeysSteps(keys);
  yield;
  const values = sorted.map((key) => source[key]);
  for (const [i, key] of sorted.entries()) {
    if (i % MANY_LATER === 0) yield;
    delete source[key];
  }
  for (const [i, key] of sorted.entries()) {
    if (i % MANY_LATER === 0) yield;
    setOwn(source, key, values[i]);
  }
}
