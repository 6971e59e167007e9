import type { KubeObject } from '@apiserver/apimachinery';
import { compareKeys } from '../key-order.js';
import type { Change } from '../objects/change.js';
import type { StoredEntry } from '../objects/stored-entry.js';

/** Entries of a range at an earlier revision. */
export interface PastRange<T extends KubeObject> {
  readonly entries: readonly StoredEntry<T>[];
  /** Number of entries in the whole range, including `entries`. */
  readonly count: number;
}

/** The current entries of a range. */
export interface PresentRange<T extends KubeObject> {
  has(key: string): boolean;
  readonly count: number;
  /** Up to `limit` entries from the beginning of the range. */
  entries(limit: number): StoredEntry<T>[];
}

/**
 * Undoes changes, so that a list at a recent revision needs no read of the store. `changes` has all since then, oldest
 * first, within the range. Returns at least `limit` entries, if there are as many.
 * Upstream: k8s.io/apiserver/pkg/storage/cacher (ListFromCacheSnapshot)
 */
export function undoChanges<T extends KubeObject>(
  changes: readonly Change<T>[],
  present: PresentRange<T>,
  limit: number,
): PastRange<T> {
  const before = new Map<string, StoredEntry<T> | undefined>();
  // The first change of a key has its old state.
  for (const { key, previous } of changes) if (!before.has(key)) before.set(key, previous);
  let count = present.count;
  for (const [key, entry] of before) count += Number(entry !== undefined) - Number(present.has(key));
  const untouched = present.entries(limit + before.size).filter(({ key }) => !before.has(key));
  const restored = [...before.values()].filter((entry) => entry !== undefined);
  return {
    entries: merged(
      untouched,
      restored.sort((a, b) => compareKeys(a.key, b.key)),
    ),
    count,
  };
}

/** Both in key order, without common keys. */
function merged<T extends KubeObject>(left: readonly StoredEntry<T>[], right: readonly StoredEntry<T>[]) {
  if (right.length === 0) return left;
  const result: StoredEntry<T>[] = [];
  let next = 0;
  for (const entry of left) {
    for (let other = right[next]; other !== undefined && compareKeys(other.key, entry.key) < 0; other = right[next]) {
      result.push(other);
      next++;
    }
    result.push(entry);
  }
  return result.concat(right.slice(next));
}
