import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import type { KeyValue } from '../key-value-store.js';
import { accessing, type ResourceContext, resourceRange } from '../objects/resource-context.js';
import type { StoredEntry } from '../objects/stored-entry.js';
import type { EntriesAt } from './cache-state.js';

const PAGE = 10_000;

/**
 * Reports whether the store has exactly these entries: the same keys with the same revisions. First it compares the
 * present, then the state at the entries' revision, which may be long past on a quiet store. Rejects with the store's
 * error, also for a compacted revision.
 * Upstream: k8s.io/apiserver/pkg/storage/cacher (consistencyChecker)
 */
export async function isConsistent<T extends KubeObject>(
  context: ResourceContext<T>,
  { entries, revision }: EntriesAt<T>,
): Promise<boolean> {
  return (await hasJust(context, entries, undefined)) || (await hasJust(context, entries, revision));
}

/** Compares at a revision, or now. */
async function hasJust<T extends KubeObject>(
  context: ResourceContext<T>,
  entries: readonly StoredEntry<T>[],
  revision: number | undefined,
): Promise<boolean> {
  const { end, start } = resourceRange(context, '');
  const slice = new TimeSlice();
  let compared = 0;
  let from = start;
  let at = revision === undefined ? {} : { revision };
  for (;;) {
    const request = { start: from, end, limit: PAGE, keysOnly: true, ...at };
    const page = await accessing(start, () => context.store.range(request));
    for (const kv of page.kvs) {
      if (!isSame(context, kv, entries[compared])) return false;
      compared++;
      if (compared % 64 === 0 && slice.over) await slice.yield();
    }
    const last = page.kvs.at(-1);
    if (last === undefined || !page.more) return compared === entries.length;
    at = { revision: page.revision };
    from = `${last.key}\0`;
  }
}

function isSame<T extends KubeObject>(
  { kind }: ResourceContext<T>,
  { key, modRevision }: KeyValue,
  entry: StoredEntry<T> | undefined,
): boolean {
  return entry?.revision === modRevision && key === kind.prefix + entry.key;
}
