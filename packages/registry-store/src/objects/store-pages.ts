import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import type { KeyValue, RangeRequest, RangeResult } from '../key-value-store.js';
import { entriesAhead, listedEntry } from './entry-of.js';
import type { ResourceContext } from './resource-context.js';
import type { StoredEntry } from './stored-entry.js';

/** Upstream: etcd3 maxLimit */
const MAX_PAGE = 10_000;
/** For keys only: etcd visits all remaining keys for each page. */
const MAX_KEYS = 50_000;
/** If more than one in this many entries of a page is unavailable, the whole page is read. */
const FEW = 16;

/** Some objects of a resource. */
export interface EntryPage<T extends KubeObject> extends RangeResult {
  /** The entry of `kvs[index]`; see listedEntry. */
  entry(index: number): StoredEntry<T> | Promise<StoredEntry<T>>;
}

/**
 * Reads a resource page by page. If entries are available (from a cache of unknown freshness), only keys and revisions
 * are read, and the values of those that are not.
 */
export class StorePages<T extends KubeObject> {
  readonly #context: ResourceContext<T>;
  /** True until a page shows that the cache has few entries. */
  #askKeys: boolean;

  constructor(context: ResourceContext<T>) {
    this.#context = context;
    this.#askKeys = context.known !== undefined;
  }

  /** Size of the next page: growing, if there is no limit. */
  sizeAfter(size: number, isLimited: boolean): number {
    return this.#askKeys && !isLimited ? Math.min(size * 10, MAX_KEYS) : Math.min(size * 2, MAX_PAGE);
  }

  /** May return less than requested. Rejects with the store's error. */
  async read(request: RangeRequest): Promise<EntryPage<T>> {
    if (!this.#askKeys) return await this.#whole(await this.#context.store.range(request));
    const keys = await this.#context.store.range({ ...request, keysOnly: true });
    const { entries, missing } = await this.#known(keys.kvs);
    if (missing.length > keys.kvs.length / FEW) {
      this.#askKeys = false;
      const limit = Math.min(request.limit ?? MAX_PAGE, MAX_PAGE);
      return await this.#whole(await this.#context.store.range({ ...request, limit, revision: keys.revision }), keys);
    }
    const read = await Promise.all(missing.map((index) => this.#value(keys, index)));
    const values = new Map(missing.map((index, i) => [index, read[i]]));
    const kvs = values.size === 0 ? keys.kvs : keys.kvs.map((kv, index) => values.get(index) ?? kv);
    const entry = (index: number) => entries[index] ?? listedEntry(this.#context, kvs[index] as KeyValue);
    return { ...keys, kvs, entry };
  }

  async #whole(page: RangeResult, { count }: Pick<RangeResult, 'count'> = page): Promise<EntryPage<T>> {
    const entry = (index: number) => listedEntry(this.#context, page.kvs[index] as KeyValue);
    if (this.#context.conversion === undefined) return { ...page, count, entry };
    const entries = await entriesAhead(this.#context, page.kvs);
    return { ...page, count, entry: (index) => entries[index] ?? entry(index) };
  }

  async #value({ kvs, revision }: RangeResult, index: number): Promise<KeyValue | undefined> {
    const { key } = kvs[index] as KeyValue;
    return (await this.#context.store.get(key, { revision })).kv;
  }

  /** Takes the cache's entries now: it may soon have newer ones. */
  async #known(kvs: readonly KeyValue[]): Promise<{
    readonly entries: readonly (StoredEntry<T> | undefined)[];
    readonly missing: readonly number[];
  }> {
    const { kind, known } = this.#context;
    const slice = new TimeSlice();
    const entries: (StoredEntry<T> | undefined)[] = [];
    const missing: number[] = [];
    for (const [index, { key, modRevision }] of kvs.entries()) {
      if (index % 64 === 63 && slice.over) await slice.yield();
      const entry = known?.(key.slice(kind.prefix.length), modRevision);
      entries.push(entry);
      if (entry === undefined) missing.push(index);
    }
    return { entries, missing };
  }
}
