import type { KubeObject } from '@apiserver/apimachinery';
import type { Clock } from '@apiserver/apimachinery/clock';
import type {
  ReadRequirement,
  Storage,
  StorageListOptions,
  StorageWatchOptions,
  StoredList,
  StoredObject,
  WatchSource,
  WriteOptions,
} from '@apiserver/apiserver-contracts';
import { newTooLargeResourceVersionError, withAllDigits } from '../storage-error.js';
import { rereadObject } from './forms/reread-object.js';
import { listFromStore } from './object-list.js';
import { ObjectWriter } from './object-writer.js';
import { readEntry } from './read-entry.js';
import { parseRequestedVersion, planList } from './requested-version.js';
import { accessing, type ResourceContext } from './resource-context.js';
import { onlyName } from './selection.js';
import { Bookmarks } from './watch/bookmarks.js';
import { failedWatch } from './watch/failed-watch.js';
import { StoreWatch } from './watch/store-watch.js';
import { storeWatchFailure, type WatchFailure, watchFailure } from './watch/watch-failure.js';

/**
 * Objects directly in the key-value store: every read goes there, and every watcher has its own watch. For kinds that
 * are read rarely, and below the watch cache for what it does not have.
 * Upstream: k8s.io/apiserver/pkg/storage/etcd3/store.go
 */
export function createObjectStorage<T extends KubeObject>(
  context: ResourceContext<T>,
  clock: Clock,
  failure: WatchFailure = storeWatchFailure,
): Storage<T> {
  return new ObjectStorage(context, clock, failure);
}

class ObjectStorage<T extends KubeObject> implements Storage<T> {
  readonly #context: ResourceContext<T>;
  readonly #writer: ObjectWriter<T>;
  readonly #bookmarks: Bookmarks;
  readonly #failure: WatchFailure;
  readonly #watches = new Set<StoreWatch<T>>();

  constructor(context: ResourceContext<T>, clock: Clock, failure: WatchFailure) {
    this.#context = context;
    this.#failure = failure;
    this.#writer = new ObjectWriter(context);
    this.#bookmarks = new Bookmarks(clock);
  }

  create(key: string, object: T, options?: WriteOptions): Promise<StoredObject<T>> {
    return this.#writer.create(key, object, options);
  }

  delete(...parameters: Parameters<Storage<T>['delete']>): Promise<StoredObject<T>> {
    return this.#writer.delete(...parameters);
  }

  reread(object: T, options?: WriteOptions): Promise<T> {
    return rereadObject(this.#context, object, options);
  }

  guaranteedUpdate(
    ...parameters: Parameters<Storage<T>['guaranteedUpdate']>
  ): ReturnType<Storage<T>['guaranteedUpdate']> {
    return this.#writer.guaranteedUpdate(...parameters);
  }

  async get(key: string, requirement: ReadRequirement): Promise<StoredObject<T>> {
    const minimum = parseRequestedVersion(requirement.resourceVersion);
    return await readEntry(this.#context, key, (current) => {
      if (minimum <= current) return;
      const fullKey = this.#context.kind.prefix + key;
      throw newTooLargeResourceVersionError(fullKey, { minimum, current, retryAfterSeconds: 0 });
    });
  }

  async deleteUnread(key: string): Promise<void> {
    await this.#writer.deleteUnread(key);
  }

  async list(prefix: string, options: StorageListOptions): Promise<StoredList<T>> {
    const isSingle = onlyName(this.#context.kind, prefix, options) !== undefined;
    return await listFromStore(this.#context, prefix, options, planList(options, isSingle));
  }

  async watch(prefix: string, options: StorageWatchOptions): Promise<WatchSource<T>> {
    const from = parseRequestedVersion(options.resourceVersion);
    const current = await accessing(this.#context.kind.prefix, () => this.#context.store.currentRevision());
    if (options.sendInitialEvents === true && from > current) {
      const { kind } = this.#context;
      const tooLarge = newTooLargeResourceVersionError(kind.prefix, { minimum: from, current, retryAfterSeconds: 0 });
      return failedWatch(watchFailure(withAllDigits(tooLarge, options.resourceVersion), kind, from));
    }
    return new StoreWatch({
      context: this.#context,
      prefix,
      options,
      bookmarks: this.#bookmarks,
      from: from === 0 ? current : from,
      initial: options.sendInitialEvents ?? from === 0,
      failure: this.#failure,
      opened: (watch) => this.#watches.add(watch),
      closed: (watch) => this.#watches.delete(watch),
    });
  }

  async currentResourceVersion(): Promise<string> {
    return String(await accessing(this.#context.kind.prefix, () => this.#context.store.currentRevision()));
  }

  async ready(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    for (const watch of [...this.#watches]) watch.finish();
  }
}
