import type { KubeObject } from '@apiserver/apimachinery';
import type { KeyValue, RangeRequest, RangeResult } from '../key-value-store.js';
import { TimeSlice } from '../mvcc/yielding.js';
import { listedEntry } from './entry-of.js';
import type { ObjectFolder } from './object-folder.js';
import type { StoredEntry } from './stored-entry.js';

/** Upstream: etcd3 maxLimit */
const MAX_PAGE = 10_000;
/** Of keys alone: etcd looks at all that is left for each page. */
const MAX_KEYS = 50_000;
/** If more of a page than one in so many is not at hand, the page is read as a whole. */
const FEW = 16;

/** A part of a folder. */
export interface EntryPage<T extends KubeObject> extends RangeResult {
  /** The entry of `kvs[index]`; see listedEntry. */
  entry(index: number): StoredEntry<T> | Promise<StoredEntry<T>>;
}

/**
 * Reads a folder page by page. Where entries are at hand (a cache that does not know whether it is up to date), the keys
 * and their revisions are asked for, and the values of those that are not.
 */
export class StorePages<T extends KubeObject> {
  readonly #folder: ObjectFolder<T>;
  /** Until a page shows that the cache has little of it. */
  #askKeys: boolean;

  constructor(folder: ObjectFolder<T>) {
    this.#folder = folder;
    this.#askKeys = folder.known !== undefined;
  }

  /** How many to ask for next: more and more, where nobody has set a limit. */
  sizeAfter(size: number, isLimited: boolean): number {
    return this.#askKeys && !isLimited ? Math.min(size * 10, MAX_KEYS) : Math.min(size * 2, MAX_PAGE);
  }

  /** May answer less than was asked for. Rejects with the store's error. */
  async read(request: RangeRequest): Promise<EntryPage<T>> {
    if (!this.#askKeys) return this.#whole(await this.#folder.store.range(request));
    const keys = await this.#folder.store.range({ ...request, keysOnly: true });
    const { entries, missing } = await this.#known(keys.kvs);
    if (missing.length > keys.kvs.length / FEW) {
      this.#askKeys = false;
      const limit = Math.min(request.limit ?? MAX_PAGE, MAX_PAGE);
      return this.#whole(await this.#folder.store.range({ ...request, limit, revision: keys.revision }), keys);
    }
    const read = await Promise.all(missing.map((index) => this.#value(keys, index)));
    const values = new Map(missing.map((index, i) => [index, read[i]]));
    const kvs = values.size === 0 ? keys.kvs : keys.kvs.map((kv, index) => values.get(index) ?? kv);
    const entry = (index: number) => entries[index] ?? listedEntry(this.#folder, kvs[index] as KeyValue);
    return { ...keys, kvs, entry };
  }

  #whole(page: RangeResult, { count }: Pick<RangeResult, 'count'> = page): EntryPage<T> {
    return { ...page, count, entry: (index) => listedEntry(this.#folder, page.kvs[index] as KeyValue) };
  }

  async #value({ kvs, revision }: RangeResult, index: number): Promise<KeyValue | undefined> {
    const { key } = kvs[index] as KeyValue;
    return (await this.#folder.store.get(key, { revision })).kv;
  }

  /** What the cache has now: a moment later it may have something newer. */
  async #known(kvs: readonly KeyValue[]): Promise<{
    readonly entries: readonly (StoredEntry<T> | undefined)[];
    readonly missing: readonly number[];
  }> {
    const { kind, known } = this.#folder;
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
