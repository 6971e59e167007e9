import type { KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import { isStatusError } from '@apiserver/apimachinery/errors';
import {
  currentSpan,
  inSpan,
  type ReadRequirement,
  type Storage,
  type StorageListOptions,
  type StorageWatchOptions,
  type StoredList,
  type StoredObject,
  type WatchSource,
  type WorkPart,
  type WriteOptions,
} from '@apiserver/apiserver-contracts';
import { rereadObject } from '../objects/forms/reread-object.js';
import { listFromStore } from '../objects/object-list.js';
import { createObjectStorage } from '../objects/object-storage.js';
import { ObjectWriter } from '../objects/object-writer.js';
import { readEntry } from '../objects/read-entry.js';
import { isLegacyExact, parseRequestedVersion, planList } from '../objects/requested-version.js';
import { accessing, type ResourceContext } from '../objects/resource-context.js';
import { onlyName } from '../objects/selection.js';
import { failedWatch } from '../objects/watch/failed-watch.js';
import { watchFailure } from '../objects/watch/watch-failure.js';
import { isUnreadable, newKeyNotFoundError, withAllDigits } from '../storage-error.js';
import { isConsistent } from './cache-consistency.js';
import { CacheFreshness, isShared } from './cache-freshness.js';
import { CacheLists } from './cache-lists.js';
import { type CacheMetrics, noCacheMetrics } from './cache-metrics.js';
import { CacheReadiness } from './cache-readiness.js';
import { CacheState } from './cache-state.js';
import { CacheWatchers } from './cache-watchers.js';
import { DEFAULT_WINDOW, type WindowBounds } from './event-window.js';

/** Storage that knows its size. */
export interface CachedStorage<T extends KubeObject> extends Storage<T> {
  /** Undefined while the cache is not filled. */
  readonly count: number | undefined;
  /** Bytes of all objects in the store. Undefined while the cache is not filled. */
  readonly storedBytes: number | undefined;
  /**
   * Compares the cache with the store. A wrong cache serves no lists of the past until it is found to be right again.
   * Rejects if the result is unknown. Absent for a store in this process, whose cache cannot be wrong.
   */
  readonly checkConsistency?: () => Promise<boolean>;
}

export interface CacherOptions {
  readonly clock: Clock;
  /** Default: DEFAULT_WINDOW. */
  readonly window?: WindowBounds;
  /** Default: no metrics. */
  readonly metrics?: CacheMetrics;
  /** Lists at an exact version, and further pages, are read from the cache. Default: true. */
  readonly listsPast?: boolean;
}

/**
 * The watch cache of one resource: Storage whose reads and watches are served from memory. Filled on first use.
 * Upstream: k8s.io/apiserver/pkg/storage/cacher
 */
export function createCacher<T extends KubeObject>(
  context: ResourceContext<T>,
  options: CacherOptions,
): CachedStorage<T> {
  return new Cacher(context, options);
}

class Cacher<T extends KubeObject> implements CachedStorage<T> {
  readonly #context: ResourceContext<T>;
  /** True if others write to the store too, so that the cache may be unknowingly behind. */
  readonly #shared: boolean;
  readonly #state: CacheState<T>;
  readonly #writer: ObjectWriter<T>;
  /** For requests that the cache cannot serve. */
  readonly #direct: Storage<T>;
  readonly #watchers: CacheWatchers<T>;
  readonly #readiness: CacheReadiness;
  readonly #freshness: CacheFreshness<T>;
  readonly #lists: CacheLists<T>;
  readonly #metrics: CacheMetrics;
  readonly #listsPast: boolean;
  readonly checkConsistency?: () => Promise<boolean>;

  constructor(resource: ResourceContext<T>, options: CacherOptions) {
    this.#shared = isShared(resource.store);
    const context = this.#shared ? this.#withKnown(resource) : resource;
    this.#context = context;
    if (this.#shared) this.checkConsistency = () => this.#compare();
    const { clock, metrics = noCacheMetrics, listsPast = true } = options;
    this.#listsPast = listsPast;
    this.#metrics = metrics;
    this.#direct = createObjectStorage(context, clock, watchFailure);
    this.#state = new CacheState({
      context: resource,
      window: options.window ?? DEFAULT_WINDOW,
      clock,
      metrics,
      changed: (change) => this.#watchers.dispatch(change),
      restoring: (revision) => this.#watchers.endForRestore(revision),
      restored: () => this.#watchers.bookmark(),
      lost: (error) => this.#lost(error),
    });
    this.#readiness = new CacheReadiness({ clock, fill: () => this.#fill() });
    this.#watchers = new CacheWatchers({ context, clock, state: this.#state, readiness: this.#readiness, metrics });
    this.#freshness = new CacheFreshness({ context, clock, state: this.#state, metrics });
    this.#lists = new CacheLists(context, this.#state, metrics);
    this.#writer = new ObjectWriter(context, {
      lookUp: (key) => {
        if (!this.#readiness.ready) return undefined;
        const entry = this.#state.entries.get(key);
        // An object that others have just created is not here yet; do not start a write from its absence.
        if (this.#shared) return entry && { entry, current: false };
        return { entry, current: this.#state.catchUp() === undefined };
      },
      writtenAt: (key, revision) => this.#state.window.changeOf(key, revision)?.current,
      ...(!this.#shared && { offer: (bytes, object) => this.#state.offered.add(bytes, object) }),
      wrote: (entry) => {
        if (this.#shared && this.#readiness.ready && entry.revision > this.#state.revision)
          this.#state.written.add(entry);
      },
    });
  }

  get count(): number | undefined {
    return this.#readiness.ready ? this.#state.entries.size : undefined;
  }

  get storedBytes(): number | undefined {
    return this.#readiness.ready ? this.#state.storedBytes : undefined;
  }

  create(key: string, object: T, options?: WriteOptions): Promise<StoredObject<T>> {
    return this.#writer.create(key, object, options);
  }

  delete(...parameters: Parameters<Storage<T>['delete']>): Promise<StoredObject<T>> {
    return this.#writer.delete(...parameters);
  }

  async deleteUnread(key: string): Promise<void> {
    await this.#writer.deleteUnread(key);
  }

  reread(object: T, options?: WriteOptions): Promise<T> {
    return rereadObject(this.#context, object, options);
  }

  guaranteedUpdate(
    ...parameters: Parameters<Storage<T>['guaranteedUpdate']>
  ): ReturnType<Storage<T>['guaranteedUpdate']> {
    return this.#writer.guaranteedUpdate(...parameters);
  }

  get(key: string, requirement: ReadRequirement): Promise<StoredObject<T>> {
    if (currentSpan() === undefined) {
      const entry = this.#freshEntry(key, requirement);
      return entry === undefined ? this.#get(key, requirement) : Promise.resolve(entry);
    }
    const at = requirement.resourceVersion ?? '';
    const path = `/${this.#context.kind.keyPrefix}/${key}`;
    const attributes = (auditId: string) => ({ 'audit-id': auditId, key: path, 'resource-version': at });
    return inSpan({ name: 'cacher.Get', attributes }, () => this.#get(key, requirement));
  }

  /** The object of most reads, for which nothing is awaited. Undefined: `#get` decides. */
  #freshEntry(key: string, { resourceVersion = '' }: ReadRequirement): StoredObject<T> | undefined {
    if (!this.#readiness.ready) return undefined;
    const isFresh = resourceVersion === '0' || (resourceVersion === '' && this.#freshness.isCurrent());
    return isFresh ? this.#state.entries.get(key) : undefined;
  }

  async #get(key: string, requirement: ReadRequirement): Promise<StoredObject<T>> {
    const minimum = parseRequestedVersion(requirement.resourceVersion);
    if (!this.#readiness.ready && !(await this.#readiness.inTime())) {
      currentSpan()?.addEvent('About to Get from underlying storage - cache not initialized');
      return await this.#direct.get(key, requirement);
    }
    if (requirement.resourceVersion !== '0') {
      // Asking the store for its revision costs as much as reading the object.
      if (minimum === 0 && this.#shared) {
        currentSpan()?.addEvent('About to Get from underlying storage');
        return await readEntry(this.#context, key);
      }
      if (!(await this.#freshness.upToDate(minimum))) return await this.#direct.get(key, requirement);
    }
    // After a broken feed, a cache that is being refilled must not count as complete.
    if (!this.#readiness.ready) return await this.#direct.get(key, requirement);
    const entry = this.#state.entries.get(key);
    if (entry === undefined) throw newKeyNotFoundError(this.#context.kind.prefix + key, this.#state.revision);
    return entry;
  }

  list(prefix: string, options: StorageListOptions): Promise<StoredList<T>> {
    if (currentSpan() === undefined) return this.#list(prefix, options);
    return inSpan(this.#part('GetList'), () => this.#list(prefix, options));
  }

  async #list(prefix: string, options: StorageListOptions): Promise<StoredList<T>> {
    const isSingle = onlyName(this.#context.kind, prefix, options) !== undefined;
    const plan = planList(options, isSingle);
    const isPast = plan.kind === 'exact' || plan.continuing || isLegacyExact(options);
    if (!this.#listsPast && isPast) return await listFromStore(this.#context, prefix, options, plan);
    const readiness = this.#readiness;
    if (!readiness.ready && !(await readiness.inTime())) {
      // The response names each unreadable object; upstream rejects such lists permanently.
      if (!mayReadUnreadyStore(options) && !isUnreadable(readiness.failure) && !isFailedConversion(readiness.failure))
        throw readiness.unreadyError();
      return await listFromStore(this.#context, prefix, options, plan);
    }
    currentSpan()?.addEvent('Ready');
    // Upstream reads one object at a version from etcd, which does not wait. Upstream: cacher.go ShouldDelegateExactRV
    if (isSingle && (plan.kind === 'exact' || isLegacyExact(options))) {
      await this.#freshness.requireReached(plan.revision);
    }
    const consistent = plan.kind === 'newest' && !plan.continuing;
    const current = plan.any || (await this.#freshness.upToDate(plan.revision, plan.kind === 'exact'));
    if (current && !readiness.ready) throw readiness.unreadyError();
    const listed = current ? await this.#lists.list(prefix, options, plan) : undefined;
    // A list made while the feed broke may be incomplete.
    if (listed !== undefined && !readiness.ready) throw readiness.unreadyError();
    const fromStore = () => listFromStore(this.#context, prefix, options, plan);
    // Consistent reads from the cache need a store with progress notifications.
    if (!consistent || this.#context.store.freshness === 'unknown') return listed ?? (await fromStore());
    return await this.#counted(listed, fromStore);
  }

  watch(prefix: string, options: StorageWatchOptions): Promise<WatchSource<T>> {
    if (currentSpan() === undefined) return this.#watch(prefix, options);
    return inSpan(this.#part('Watch'), () => this.#watch(prefix, options));
  }

  async #watch(prefix: string, options: StorageWatchOptions): Promise<WatchSource<T>> {
    const requested = parseRequestedVersion(options.resourceVersion);
    if (!this.#readiness.ready && !(await this.#readiness.inTime())) throw this.#readiness.unreadyError();
    try {
      if (!(await this.#freshness.canWatch(requested, options))) return await this.#direct.watch(prefix, options);
    } catch (error) {
      return failedWatch(watchFailure(withAllDigits(error, options.resourceVersion), this.#context.kind, requested));
    }
    // A partially filled state would make clients drop everything else.
    if (!this.#readiness.ready) throw this.#readiness.unreadyError();
    return this.#watchers.watch(prefix, options, requested);
  }

  async currentResourceVersion(): Promise<string> {
    return String(await accessing(this.#context.kind.prefix, () => this.#context.store.currentRevision()));
  }

  async ready(signal?: AbortSignal): Promise<void> {
    await this.#readiness.filled(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#readiness[Symbol.dispose]();
    this.#watchers.end();
    await this.#readiness.settled();
    this.#state.stop();
    await this.#direct[Symbol.asyncDispose]();
  }

  /** Returns the list, and counts whether it came from the cache as intended. Upstream: cacher/delegator.go GetList */
  async #counted(listed: StoredList<T> | undefined, fromStore: () => Promise<StoredList<T>>): Promise<StoredList<T>> {
    const isFallback = listed === undefined;
    try {
      const response = listed ?? (await fromStore());
      this.#metrics.consistentRead(true, isFallback);
      return response;
    } catch (error) {
      this.#metrics.consistentRead(false, isFallback);
      throw error;
    }
  }

  #part(operation: string): WorkPart {
    const { group, resource } = this.#context.kind.groupResource;
    const type = group === '' ? resource : `${resource}.${group}`;
    return { name: `cacher.${operation}`, attributes: (auditId) => ({ 'audit-id': auditId, type }) };
  }

  async #compare(): Promise<boolean> {
    if (!this.#readiness.ready) throw this.#readiness.unreadyError();
    const isRight = await isConsistent(this.#context, {
      entries: this.#state.range(''),
      revision: this.#state.revision,
    });
    this.#state.trust(isRight);
    return isRight;
  }

  async #fill(): Promise<void> {
    await this.#state.load();
    this.#metrics.initialized();
  }

  /** Called when the feed breaks. Watchers are ended and reconnect; the cache is refilled. */
  #lost(error: unknown): void {
    this.#readiness.lost();
    this.#watchers.end(error);
  }

  /** Most reads of the store yield entries that the cache has. */
  #withKnown(context: ResourceContext<T>): ResourceContext<T> {
    return {
      ...context,
      known: (key, revision) => {
        const entry = this.#state.entries.get(key);
        return entry?.revision === revision ? entry : undefined;
      },
      state: (prefix) => {
        const { revision } = this.#state;
        if (!this.#readiness.ready || !this.#state.isTrusted(revision)) return undefined;
        return { entries: this.#state.range(prefix), revision };
      },
    };
  }
}

/** A webhook failed: the list has its message. A later one may succeed. */
function isFailedConversion(failure: unknown): boolean {
  return isStatusError(failure) && failure.status.code === 500;
}

/** Lists that the store may serve while the cache is not filled. Upstream: shouldDelegateListOnNotReadyCache */
function mayReadUnreadyStore({ labelSelector, fieldSelector, limit = 0 }: StorageListOptions): boolean {
  return labelSelector.empty && fieldSelector.empty && limit > 0;
}
