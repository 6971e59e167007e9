import type { Clock, KubeObject, StatusError } from '@apiserver/apimachinery';
import type {
  ReadRequirement,
  Storage,
  StorageListOptions,
  StorageWatchOptions,
  StoredList,
  StoredObject,
  WatchEvent,
  WatchSource,
} from '@apiserver/apiserver-contracts';
import { newBookmark } from '../objects/bookmark-event.js';
import { Bookmarks } from '../objects/bookmarks.js';
import type { Change } from '../objects/change.js';
import { entryOf } from '../objects/entry-of.js';
import { failedWatch } from '../objects/failed-watch.js';
import { accessing, type ObjectFolder } from '../objects/object-folder.js';
import { listFromStore } from '../objects/object-list.js';
import { createObjectStorage } from '../objects/object-storage.js';
import { ObjectWriter } from '../objects/object-writer.js';
import { isLegacyExact, parseRequestedVersion, planList } from '../objects/requested-version.js';
import { onlyName } from '../objects/selection.js';
import type { EntryKind, StoredEntry } from '../objects/stored-entry.js';
import { isOrderlyEnd, watchFailure } from '../objects/watch-failure.js';
import { newKeyNotFoundError } from '../storage-error.js';
import { isConsistent } from './cache-consistency.js';
import { CacheFreshness, isShared } from './cache-freshness.js';
import { CacheLists } from './cache-lists.js';
import { type CacheMetrics, noCacheMetrics } from './cache-metrics.js';
import { CacheReadiness } from './cache-readiness.js';
import { CacheState, type EntriesAt } from './cache-state.js';
import { CacheWatcher, type ChangesAfter, type WatchedCache } from './cache-watcher.js';
import { DEFAULT_WINDOW, type WindowBounds } from './event-window.js';
import { readChanges } from './read-changes.js';
import { watchScopeOf } from './watch-scope.js';
import { WatcherIndex, type WatchScope } from './watcher-index.js';

const PAST_BATCH = 256;

/** Storage that knows how much it holds. */
export interface CachedStorage<T extends KubeObject> extends Storage<T> {
  /** Undefined while the cache is not filled. */
  readonly count: number | undefined;
  /** The bytes that the store keeps for all of them. Undefined while the cache is not filled. */
  readonly storedBytes: number | undefined;
  /**
   * Compares the cache with the store. One that is wrong answers no lists of the past until it is found to be right again.
   * Rejects while there is no telling. Absent where a cache cannot be wrong, its store being in this process.
   */
  readonly checkConsistency?: () => Promise<boolean>;
}

export interface CacherOptions {
  readonly clock: Clock;
  /** Default: DEFAULT_WINDOW. */
  readonly window?: WindowBounds;
  /** Default: nothing is counted. */
  readonly metrics?: CacheMetrics;
}

/**
 * The watch cache of one resource: Storage whose reads and watches are served from memory. Filled on first use.
 * Upstream: k8s.io/apiserver/pkg/storage/cacher
 */
export function createCacher<T extends KubeObject>(folder: ObjectFolder<T>, options: CacherOptions): CachedStorage<T> {
  return new Cacher(folder, options);
}

class Cacher<T extends KubeObject> implements CachedStorage<T>, WatchedCache<T> {
  readonly #folder: ObjectFolder<T>;
  /** Others write to the store as well, so that the cache may be behind without knowing it. */
  readonly #shared: boolean;
  readonly #state: CacheState<T>;
  readonly #writer: ObjectWriter<T>;
  /** What the cache cannot answer. */
  readonly #direct: Storage<T>;
  readonly #watchers = new WatcherIndex<CacheWatcher<T>>();
  /** Accepted and not yet closed, attached or not. */
  readonly #open = new Set<CacheWatcher<T>>();
  readonly #bookmarks: Bookmarks;
  readonly #readiness: CacheReadiness;
  readonly #freshness: CacheFreshness<T>;
  readonly #lists: CacheLists<T>;
  readonly #metrics: CacheMetrics;
  readonly checkConsistency?: () => Promise<boolean>;
  #bookmark: WatchEvent<T> | undefined;

  constructor(resource: ObjectFolder<T>, options: CacherOptions) {
    this.#shared = isShared(resource.store);
    const folder = this.#shared ? this.#withKnown(resource) : resource;
    this.#folder = folder;
    if (this.#shared) this.checkConsistency = () => this.#compare();
    const { clock, metrics = noCacheMetrics } = options;
    this.#metrics = metrics;
    this.#bookmarks = new Bookmarks(options.clock);
    this.#direct = createObjectStorage(folder, options.clock, watchFailure);
    this.#state = new CacheState({
      folder: resource,
      window: options.window ?? DEFAULT_WINDOW,
      clock,
      metrics,
      changed: (change) => this.#dispatch(change),
      lost: (error) => this.#lost(error),
    });
    this.#readiness = new CacheReadiness({ clock, fill: () => this.#fill() });
    this.#freshness = new CacheFreshness({ folder, clock, state: this.#state, metrics });
    this.#lists = new CacheLists(folder, this.#state, metrics);
    this.#writer = new ObjectWriter(folder, {
      lookUp: (key) => {
        if (!this.#readiness.ready) return undefined;
        const entry = this.#state.entries.get(key);
        // What others have just made is not here yet; nothing is no state to begin a write with.
        if (this.#shared) return entry && { entry, current: false };
        return { entry, current: this.#state.catchUp() === undefined };
      },
      wrote: (entry) => {
        if (this.#shared && this.#readiness.ready && entry.revision > this.revision) this.#state.written.add(entry);
      },
    });
  }

  get kind(): EntryKind<T> {
    return this.#folder.kind;
  }

  get revision(): number {
    return this.#state.revision;
  }

  get count(): number | undefined {
    return this.#readiness.ready ? this.#state.entries.size : undefined;
  }

  get storedBytes(): number | undefined {
    return this.#readiness.ready ? this.#state.storedBytes : undefined;
  }

  create(key: string, object: T, options?: { readonly ttl?: number }): Promise<StoredObject<T>> {
    return this.#writer.create(key, object, options);
  }

  delete(...parameters: Parameters<Storage<T>['delete']>): Promise<StoredObject<T>> {
    return this.#writer.delete(...parameters);
  }

  guaranteedUpdate(
    ...parameters: Parameters<Storage<T>['guaranteedUpdate']>
  ): ReturnType<Storage<T>['guaranteedUpdate']> {
    return this.#writer.guaranteedUpdate(...parameters);
  }

  async get(key: string, requirement: ReadRequirement): Promise<StoredObject<T>> {
    const minimum = parseRequestedVersion(requirement.resourceVersion);
    if (!this.#readiness.ready && !(await this.#readiness.inTime())) return await this.#direct.get(key, requirement);
    if (requirement.resourceVersion !== '0') {
      // To ask the store how new the cache must be costs as much as to ask it for the object.
      if (minimum === 0 && this.#shared) return await this.#getFromStore(key);
      if (!(await this.#freshness.upToDate(minimum))) return await this.#direct.get(key, requirement);
    }
    // What waited for a feed that broke must not take the cache that is being filled for all there is.
    if (!this.#readiness.ready) return await this.#direct.get(key, requirement);
    const entry = this.#state.entries.get(key);
    if (entry === undefined) throw newKeyNotFoundError(this.kind.prefix + key, this.revision);
    return entry;
  }

  async list(prefix: string, options: StorageListOptions): Promise<StoredList<T>> {
    const isSingle = onlyName(this.kind, prefix, options) !== undefined;
    const plan = planList(options, isSingle);
    const readiness = this.#readiness;
    if (!readiness.ready && !(await readiness.inTime())) {
      if (!mayReadUnreadyStore(options)) throw readiness.unreadyError();
      return await listFromStore(this.#folder, prefix, options, plan);
    }
    // Upstream asks etcd for one object at a version, and etcd does not wait. Upstream: cacher.go ShouldDelegateExactRV
    if (isSingle && (plan.kind === 'exact' || isLegacyExact(options))) {
      await this.#freshness.requireReached(plan.revision);
    }
    const consistent = plan.kind === 'newest' && !plan.continuing;
    const current = plan.any || (await this.#freshness.upToDate(plan.revision, plan.kind === 'exact'));
    if (current && !readiness.ready) throw readiness.unreadyError();
    const listed = current ? await this.#lists.list(prefix, options, plan) : undefined;
    // What was asked while the feed broke may be half of it.
    if (listed !== undefined && !readiness.ready) throw readiness.unreadyError();
    const fromStore = () => listFromStore(this.#folder, prefix, options, plan);
    // Of a store that cannot say how new its watches are nobody expects the answer from the cache.
    if (!consistent || this.#folder.store.freshness === 'unknown') return listed ?? (await fromStore());
    return await this.#counted(listed, fromStore);
  }

  async watch(prefix: string, options: StorageWatchOptions): Promise<WatchSource<T>> {
    const requested = parseRequestedVersion(options.resourceVersion);
    if (!this.#readiness.ready && !(await this.#readiness.inTime())) throw this.#readiness.unreadyError();
    try {
      if (!(await this.#freshness.canWatch(requested, options))) return await this.#direct.watch(prefix, options);
    } catch (error) {
      return failedWatch(this.failure(error, requested));
    }
    // A state that is being filled, told as the whole, would make clients forget all they know.
    if (!this.#readiness.ready) throw this.#readiness.unreadyError();
    const watcher = new CacheWatcher({
      cache: this,
      prefix,
      scope: watchScopeOf(this.kind, prefix, options),
      options,
      from: requested === 0 ? this.revision : requested,
      initial: options.sendInitialEvents ?? requested === 0,
    });
    this.#open.add(watcher);
    return watcher;
  }

  async currentResourceVersion(): Promise<string> {
    return String(await accessing(this.kind.prefix, () => this.#folder.store.currentRevision()));
  }

  async ready(signal?: AbortSignal): Promise<void> {
    await this.#readiness.filled(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#readiness[Symbol.dispose]();
    this.#endWatchers();
    await this.#readiness.settled();
    this.#state.stop();
    await this.#direct[Symbol.asyncDispose]();
  }

  // What watchers ask for.

  snapshot(prefix: string, scope: WatchScope): EntriesAt<T> | Promise<EntriesAt<T> | undefined> {
    const { revision } = this;
    const namespaced = this.kind.namespaced && scope.namespace !== '';
    const folder = prefix === '' && namespaced ? `${scope.namespace}/` : prefix;
    if (scope.name !== '' && (!this.kind.namespaced || namespaced)) {
      const entry = this.#state.entries.get(folder + scope.name);
      return { entries: entry === undefined ? [] : [entry], revision };
    }
    if (scope.indexed !== undefined) return this.#state.indexed(scope.indexed, folder, '');
    return { entries: this.#state.range(folder), revision };
  }

  changesAfter(position: number): ChangesAfter<T> | Promise<ChangesAfter<T>> {
    const { window } = this.#state;
    const changes = window.after(position, PAST_BATCH);
    if (changes === undefined) return readChanges(this.#folder, position, window.complete);
    return { changes, upTo: changes.at(-1)?.revision ?? this.revision };
  }

  attach(watcher: CacheWatcher<T>): void {
    if (!this.#readiness.ready) {
      watcher.finish();
      return;
    }
    this.#watchers.add(watcher);
    if (watcher.options.allowBookmarks) this.#bookmarks.add(watcher);
  }

  detach(watcher: CacheWatcher<T>): void {
    this.#open.delete(watcher);
    this.#watchers.remove(watcher);
    this.#bookmarks.remove(watcher);
  }

  failure(error: unknown, position: number): StatusError {
    return watchFailure(error, this.kind, position);
  }

  /** One event for all watchers that get it at this revision. */
  bookmarkAt(revision: number): WatchEvent<T> {
    if (this.#bookmark?.object.resourceVersion !== String(revision)) this.#bookmark = newBookmark(this.kind, revision);
    return this.#bookmark;
  }

  initialEvents(count: number): void {
    this.#metrics.initialEvents(count);
  }

  #dispatch(change: Change<T>): void {
    const { current, previous } = change;
    const entry = current ?? previous;
    if (entry === undefined || this.#watchers.size === 0) return;
    const { namespace, name } = entry;
    const deliver = (watcher: CacheWatcher<T>): void => watcher.deliver(change);
    this.#watchers.forEach(namespace, name, deliver);
    if (!this.#watchers.usesIndex) return;
    const values = new Set([current?.indexedValue, previous?.indexedValue]);
    for (const value of values) {
      if (value !== undefined) this.#watchers.forEachByValue(value, { namespace, name }, deliver);
    }
  }

  /** Answers the list, and counts whether it came from the cache, as it was meant to. Upstream: cacher/delegator.go GetList */
  async #counted(listed: StoredList<T> | undefined, fromStore: () => Promise<StoredList<T>>): Promise<StoredList<T>> {
    const isFallback = listed === undefined;
    try {
      const answer = listed ?? (await fromStore());
      this.#metrics.consistentRead(true, isFallback);
      return answer;
    } catch (error) {
      this.#metrics.consistentRead(false, isFallback);
      throw error;
    }
  }

  async #compare(): Promise<boolean> {
    if (!this.#readiness.ready) throw this.#readiness.unreadyError();
    const isRight = await isConsistent(this.#folder, { entries: this.#state.range(''), revision: this.revision });
    this.#state.trust(isRight);
    return isRight;
  }

  async #fill(): Promise<void> {
    await this.#state.load();
    this.#metrics.initialized();
  }

  /** The feed broke. Watchers are sent away and come back; the cache is filled anew. */
  #lost(error: unknown): void {
    this.#readiness.lost();
    this.#endWatchers(isOrderlyEnd(error) ? undefined : this.failure(error, this.#state.lastChange));
  }

  #endWatchers(error?: StatusError): void {
    for (const watcher of [...this.#open]) watcher.finish(error);
  }

  /** What is read from the store is mostly what the cache has. */
  #withKnown(folder: ObjectFolder<T>): ObjectFolder<T> {
    return {
      ...folder,
      known: (key, revision) => {
        const entry = this.#state.entries.get(key);
        return entry?.revision === revision ? entry : undefined;
      },
      state: (prefix) => {
        const { revision } = this;
        if (!this.#readiness.ready || !this.#state.isTrusted(revision)) return undefined;
        return { entries: this.#state.range(prefix), revision };
      },
    };
  }

  /** As the store has it; the entry is the cache's own if that is as new. */
  async #getFromStore(key: string): Promise<StoredEntry<T>> {
    const fullKey = this.kind.prefix + key;
    const { kv, revision } = await accessing(fullKey, () => this.#folder.store.get(fullKey));
    if (kv === undefined) throw newKeyNotFoundError(fullKey, revision);
    return await entryOf(this.#folder, kv);
  }
}

/** Lists that the store may have to serve while the cache is not filled. Upstream: shouldDelegateListOnNotReadyCache */
function mayReadUnreadyStore({ labelSelector, fieldSelector, limit = 0 }: StorageListOptions): boolean {
  return labelSelector.empty && fieldSelector.empty && limit > 0;
}
