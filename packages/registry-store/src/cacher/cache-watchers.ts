import type { KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import type { StatusError } from '@apiserver/apimachinery/errors';
import type { StorageWatchOptions, WatchEvent, WatchSource } from '@apiserver/apiserver-contracts';
import { compactedError } from '../key-value-error.js';
import type { Change } from '../objects/change.js';
import type { ResourceContext } from '../objects/resource-context.js';
import type { EntryKind } from '../objects/stored-entry.js';
import { newBookmark } from '../objects/watch/bookmark-event.js';
import { Bookmarks } from '../objects/watch/bookmarks.js';
import { isOrderlyEnd, watchFailure } from '../objects/watch/watch-failure.js';
import type { CacheMetrics } from './cache-metrics.js';
import type { CacheReadiness } from './cache-readiness.js';
import type { CacheState, EntriesAt } from './cache-state.js';
import { CacheWatcher, type ChangesAfter, type WatchedCache } from './cache-watcher.js';
import { readChanges } from './read-changes.js';
import { watchScopeOf } from './watch-scope.js';
import { WatcherIndex, type WatchScope } from './watcher-index.js';

const PAST_BATCH = 256;

export interface CacheWatchersOptions<T extends KubeObject> {
  readonly context: ResourceContext<T>;
  readonly clock: Clock;
  readonly state: CacheState<T>;
  readonly readiness: Pick<CacheReadiness, 'ready'>;
  readonly metrics: CacheMetrics;
}

/**
 * The watchers of a cache: opens watches, delivers each change to the watchers that may want it, and ends all of them.
 */
export class CacheWatchers<T extends KubeObject> implements WatchedCache<T> {
  readonly #options: CacheWatchersOptions<T>;
  readonly #state: CacheState<T>;
  readonly #watchers = new WatcherIndex<CacheWatcher<T>>();
  /** Accepted and not yet closed watchers, attached or not. */
  readonly #open = new Set<CacheWatcher<T>>();
  /** Those that read the past. */
  readonly #behind = new Set<CacheWatcher<T>>();
  /** They may have created events of changes after this revision. */
  #readFrom = Number.POSITIVE_INFINITY;
  readonly #bookmarks: Bookmarks;
  #bookmark: WatchEvent<T> | undefined;

  constructor(options: CacheWatchersOptions<T>) {
    this.#options = options;
    this.#state = options.state;
    this.#bookmarks = new Bookmarks(options.clock);
  }

  get kind(): EntryKind<T> {
    return this.#options.context.kind;
  }

  get revision(): number {
    return this.#state.revision;
  }

  /** A watch of changes after `requested`; 0: after the present, which comes first by default. */
  watch(prefix: string, options: StorageWatchOptions, requested: number): WatchSource<T> {
    const watcher = new CacheWatcher({
      cache: this,
      prefix,
      scope: watchScopeOf(this.kind, prefix, options),
      options,
      from: requested === 0 ? this.revision : requested,
      initial: options.sendInitialEvents ?? requested === 0,
    });
    this.#open.add(watcher);
    this.#readsPast(watcher);
    if (options.shardSelector !== undefined) this.#options.metrics.shardedWatches(1);
    return watcher;
  }

  dispatch(change: Change<T>): void {
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

  /** Ends all watches. Any error other than the store's orderly close is sent to the clients. */
  end(error?: unknown): void {
    const failure =
      error === undefined || isOrderlyEnd(error) ? undefined : this.failure(error, this.#state.lastChange);
    for (const watcher of [...this.#open]) watcher.finish(failure);
  }

  /** Ends the watches that do not follow the restore of the store to another state. */
  endForRestore(revision: number): void {
    for (const watcher of [...this.#open]) {
      if (!watcher.followsRestore) watcher.finish(this.failure(compactedError(revision), watcher.position));
    }
  }

  /** States the present revision to the watches of this process. */
  bookmark(): void {
    for (const watcher of this.#open) if (watcher.followsRestore && watcher.options.allowBookmarks) watcher.bookmark();
  }

  snapshot(prefix: string, scope: WatchScope): EntriesAt<T> | Promise<EntriesAt<T> | undefined> {
    const { revision } = this;
    const namespaced = this.kind.namespaced && scope.namespace !== '';
    const context = prefix === '' && namespaced ? `${scope.namespace}/` : prefix;
    if (scope.name !== '' && (!this.kind.namespaced || namespaced)) {
      const entry = this.#state.entries.get(context + scope.name);
      return { entries: entry === undefined ? [] : [entry], revision };
    }
    if (scope.indexed !== undefined) return this.#state.indexed(scope.indexed, context, '');
    return { entries: this.#state.range(context), revision };
  }

  changesAfter(position: number): ChangesAfter<T> | Promise<ChangesAfter<T>> {
    const { window } = this.#state;
    const changes = window.after(position, PAST_BATCH);
    if (changes === undefined) return readChanges(this.#options.context, position, window.complete);
    return { changes, upTo: changes.at(-1)?.revision ?? this.revision };
  }

  attach(watcher: CacheWatcher<T>): void {
    if (!this.#options.readiness.ready) {
      watcher.finish();
      return;
    }
    this.#watchers.add(watcher);
    watcher.attached();
    this.#readsNoMore(watcher);
    if (watcher.options.allowBookmarks) this.#bookmarks.add(watcher);
  }

  leave(watcher: CacheWatcher<T>): void {
    this.#watchers.remove(watcher);
    this.#readsPast(watcher);
  }

  detach(watcher: CacheWatcher<T>): void {
    if (this.#open.delete(watcher) && watcher.options.shardSelector !== undefined) {
      this.#options.metrics.shardedWatches(-1);
    }
    this.#watchers.remove(watcher);
    this.#readsNoMore(watcher);
    this.#bookmarks.remove(watcher);
  }

  failure(error: unknown, position: number): StatusError {
    return watchFailure(error, this.kind, position);
  }

  /** One bookmark for all watchers that get it at this revision. */
  bookmarkAt(revision: number): WatchEvent<T> {
    if (this.#bookmark?.object.resourceVersion !== String(revision)) this.#bookmark = newBookmark(this.kind, revision);
    return this.#bookmark;
  }

  outsideShard(): void {
    this.#options.metrics.outsideShard();
  }

  initialEvents(count: number): void {
    this.#options.metrics.initialEvents(count);
  }

  #readsPast(watcher: CacheWatcher<T>): void {
    this.#behind.add(watcher);
    this.#readFrom = Math.min(this.#readFrom, watcher.position);
  }

  /** The last reader of the past leaves no events there: their frames would live as long as the changes. */
  #readsNoMore(watcher: CacheWatcher<T>): void {
    if (!this.#behind.delete(watcher) || this.#behind.size > 0) return;
    const { window } = this.#state;
    const read = window.after(Math.max(this.#readFrom, window.complete), Number.POSITIVE_INFINITY);
    for (const change of read ?? []) change.forgetEvents();
    this.#readFrom = Number.POSITIVE_INFINITY;
  }
}
