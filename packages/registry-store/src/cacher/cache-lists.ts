import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { currentSpan, type StorageListOptions, type StoredList } from '@apiserver/apiserver-contracts';
import { toList, withRuns } from '../objects/object-list.js';
import type { ListPlan } from '../objects/requested-version.js';
import type { ResourceContext } from '../objects/resource-context.js';
import { onlyName, type Selection, selectionOf } from '../objects/selection.js';
import type { StoredEntry } from '../objects/stored-entry.js';
import type { CacheMetrics } from './cache-metrics.js';
import type { CacheState, EntriesAt } from './cache-state.js';

/** The candidates of a list. */
interface Candidates<T extends KubeObject> extends EntriesAt<T> {
  /** Their total number from the first one on; undefined: the length of `entries`. */
  readonly count?: number;
  /** Upstream: the name of the index, "f:" and the field. */
  readonly index: string;
}

/** Serves lists from a cache: the present, and the past within its window. */
export class CacheLists<T extends KubeObject> {
  readonly #context: ResourceContext<T>;
  readonly #state: CacheState<T>;
  readonly #metrics: CacheMetrics;

  constructor(context: ResourceContext<T>, state: CacheState<T>, metrics: CacheMetrics) {
    this.#context = context;
    this.#state = state;
    this.#metrics = metrics;
  }

  /** Undefined if only the store can serve. Version "0" ignores the limit, as upstream. */
  async list(prefix: string, options: StorageListOptions, plan: ListPlan): Promise<StoredList<T> | undefined> {
    const limit = plan.any || plan.limit === 0 ? Number.POSITIVE_INFINITY : plan.limit;
    const selection = selectionOf(options, this.#context.kind);
    // One more than the limit tells whether there are more.
    const wanted = selection.empty ? limit + 1 : Number.POSITIVE_INFINITY;
    // An object unchanged since the exact revision is also in that state.
    const isPast = plan.kind === 'exact' && plan.revision < this.#state.lastChange;
    if (plan.kind === 'exact' && !(await this.#isKept(plan.revision, isPast))) return undefined;
    const span = currentSpan();
    const found = await (isPast ? this.#past(prefix, plan, wanted) : this.#present(prefix, options, { plan, wanted }));
    if (found === undefined) return undefined;
    span?.addEvent('Listed items from cache', { count: found.entries.length });
    const chosen = selection.empty ? firstOf(found, limit) : await matching(found, selection, limit);
    span?.addEvent('Filtered items', { count: chosen.items.length });
    this.#metrics.listed(found.index, chosen.fetched, chosen.items.length);
    const last = chosen.items.at(-1);
    // With a leading slash, as in upstream's cache, which cuts off a prefix without one. Upstream: cacher.go GetList
    const next = chosen.more && last ? { lastKey: `/${last.key.slice(prefix.length)}`, rest: chosen.rest } : undefined;
    const list = toList(chosen.items, plan.kind === 'exact' ? plan.revision : found.revision, next);
    return selection.empty && !isPast ? withRuns(list, chosen.items, this.#context) : list;
  }

  #past(prefix: string, plan: ListPlan, wanted: number): Candidates<T> | undefined {
    const { revision, startKey } = plan;
    const range = this.#state.rangeAt(revision, { prefix, startKey }, wanted);
    return range && { ...range, revision, index: '' };
  }

  /**
   * A compacted revision is gone for all readers, although the cache may still have it. Upstream drops its snapshots on
   * a compaction: k8s.io/apiserver/pkg/storage/cacher/compactor.go
   */
  async #isKept(revision: number, isPast: boolean): Promise<boolean> {
    if (!this.#state.isTrusted(revision)) return false;
    const { store } = this.#context;
    const heard = isPast ? undefined : store.knownCompaction;
    return revision >= (heard ?? (await store.compactedRevision()));
  }

  #present(
    prefix: string,
    options: StorageListOptions,
    { plan, wanted }: { readonly plan: ListPlan; readonly wanted: number },
  ): Candidates<T> | Promise<Candidates<T> | undefined> {
    const { indexedField } = this.#context.kind;
    const { startKey } = plan;
    const { revision } = this.#state;
    const { fieldSelector } = options;
    const name = onlyName(this.#context.kind, prefix, options);
    if (name !== undefined) {
      const entry = this.#state.entries.get(prefix + name);
      return { entries: entry === undefined ? [] : [entry], revision, index: '' };
    }
    const value =
      indexedField === undefined || fieldSelector.empty ? undefined : fieldSelector.requiresExactMatch(indexedField);
    if (value !== undefined) {
      const indexed = this.#state.indexed(value, prefix, startKey);
      return indexed.then((found) => found && { ...found, index: `f:${indexedField}` });
    }
    const entries = this.#state.range(prefix, startKey, wanted);
    const count = entries.length < wanted ? entries.length : this.#state.count(prefix, startKey);
    return { entries, count, revision, index: '' };
  }
}

interface Chosen<T extends KubeObject> {
  readonly items: readonly StoredEntry<T>[];
  /** Number of visited objects. */
  readonly fetched: number;
  readonly more: boolean;
  /** Number of remaining objects, if known. */
  readonly rest: number | undefined;
}

function firstOf<T extends KubeObject>({ entries, count }: Candidates<T>, limit: number): Chosen<T> {
  const more = entries.length > limit;
  const items = more ? entries.slice(0, limit) : entries;
  return { items, fetched: items.length, more, rest: (count ?? entries.length) - items.length };
}

async function matching<T extends KubeObject>(
  { entries }: Candidates<T>,
  selection: Selection,
  limit: number,
): Promise<Chosen<T>> {
  const items: StoredEntry<T>[] = [];
  const slice = new TimeSlice();
  for (const [i, entry] of entries.entries()) {
    if (slice.overAt(i, 64, entry.byteLength)) await slice.yield();
    if (!selection.matches(entry)) continue;
    items.push(entry);
    if (items.length < limit) continue;
    // With shards it is wrong, as upstream's: it counts what they exclude.
    const rest = selection.countsRest ? entries.length - limit : undefined;
    return { items, fetched: i + 1, more: i < entries.length - 1, rest };
  }
  return { items, fetched: entries.length, more: false, rest: undefined };
}
