import type { KubeObject } from '@apiserver/apimachinery';
import type { Storage } from '@apiserver/apiserver-contracts';
import { type KeyValueSink, type KeyValueStore, type KeyValueWatch, prefixEnd } from '../key-value-store.js';
import type { CachedStorage } from './cacher.js';

/** The first use of a resource that has no object. */
export interface FirstUse {
  /** Resolves when the resource is used, or gets an object. */
  readonly begun: Promise<void>;
}

/** Dependencies of a deferred storage. */
export interface DeferredStorageOptions<T extends KubeObject> {
  /** A store that no other process writes to. */
  readonly store: KeyValueStore;
  /** The prefix of all keys of the resource. */
  readonly prefix: string;
  /** Makes the storage; called at most once. */
  make(): CachedStorage<T>;
}

/**
 * Storage that is made when it is first used, or when its resource has an object. A server has some sixty resources, and
 * most clients use few of them.
 */
export class DeferredStorage<T extends KubeObject> implements CachedStorage<T> {
  readonly #options: DeferredStorageOptions<T>;
  readonly #used = Promise.withResolvers<void>();
  /** The first write waits for them. */
  readonly #preceding = new Set<Promise<unknown>>();
  #made: CachedStorage<T> | undefined = undefined;
  #looking: Promise<void> | undefined = undefined;
  /** Open while the store is known to have no key of the resource. */
  #watch: KeyValueWatch | undefined = undefined;
  #disposed = false;

  constructor(options: DeferredStorageOptions<T>) {
    this.#options = options;
  }

  /**
   * Resolves when the storage is used, or its resource gets an object. Undefined if that has happened, or if it is not
   * known yet whether there are objects.
   */
  get firstUse(): Promise<void> | undefined {
    return this.#isEmpty ? this.#used.promise : undefined;
  }

  /**
   * As `firstUse`; looks for objects if it is not known whether there are any. If there are none, the first write, and a
   * restore, wait until `ready` settles. It must settle once the resource can be listed.
   */
  async unused(ready: Promise<unknown>): Promise<FirstUse | undefined> {
    if (this.#made === undefined) await this.#look();
    if (!this.#isEmpty) return undefined;
    // In the turn of the check: a write may come before the caller has the result.
    this.#precede(ready);
    return { begun: this.#used.promise };
  }

  get count(): number | undefined {
    return this.#isEmpty ? 0 : this.#made?.count;
  }

  get storedBytes(): number | undefined {
    return this.#isEmpty ? 0 : this.#made?.storedBytes;
  }

  create(...parameters: Parameters<Storage<T>['create']>): ReturnType<Storage<T>['create']> {
    return this.#writing((storage) => storage.create(...parameters));
  }

  delete(...parameters: Parameters<Storage<T>['delete']>): ReturnType<Storage<T>['delete']> {
    return this.#use().delete(...parameters);
  }

  deleteUnread(key: string): Promise<void> {
    return this.#use().deleteUnread(key);
  }

  get(...parameters: Parameters<Storage<T>['get']>): ReturnType<Storage<T>['get']> {
    return this.#use().get(...parameters);
  }

  list(...parameters: Parameters<Storage<T>['list']>): ReturnType<Storage<T>['list']> {
    return this.#use().list(...parameters);
  }

  watch(...parameters: Parameters<Storage<T>['watch']>): ReturnType<Storage<T>['watch']> {
    return this.#use().watch(...parameters);
  }

  guaranteedUpdate(
    ...parameters: Parameters<Storage<T>['guaranteedUpdate']>
  ): ReturnType<Storage<T>['guaranteedUpdate']> {
    return this.#writing((storage) => storage.guaranteedUpdate(...parameters));
  }

  reread(...parameters: Parameters<Storage<T>['reread']>): Promise<T> {
    return this.#use().reread(...parameters);
  }

  currentResourceVersion(): Promise<string> {
    return this.#use().currentResourceVersion();
  }

  /** A resource without objects is ready without a cache. */
  async ready(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#made === undefined) await this.#look();
    await this.#made?.ready(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    this.#watch?.close();
    this.#watch = undefined;
    await this.#made?.[Symbol.asyncDispose]();
  }

  get #isEmpty(): boolean {
    return this.#watch !== undefined && this.#made === undefined;
  }

  #use(): CachedStorage<T> {
    if (this.#made !== undefined) return this.#made;
    const made = this.#options.make();
    this.#made = made;
    this.#watch?.close();
    this.#watch = undefined;
    if (this.#disposed) void made[Symbol.asyncDispose]();
    this.#used.resolve();
    return made;
  }

  /** Writes when those who follow the resource from its first use on have begun. */
  #writing<R>(write: (storage: CachedStorage<T>) => Promise<R>): Promise<R> {
    const storage = this.#use();
    return this.#preceding.size === 0 ? write(storage) : this.#preceded().then(() => write(storage));
  }

  #precede(ready: Promise<unknown>): void {
    this.#preceding.add(ready);
    const settled = () => this.#preceding.delete(ready);
    ready.then(settled, settled);
  }

  async #preceded(): Promise<void> {
    await Promise.allSettled(this.#preceding);
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookForKeys().catch((error: unknown) => {
      this.#looking = undefined;
      throw error;
    });
    return this.#looking;
  }

  async #lookForKeys(): Promise<void> {
    const { store, prefix } = this.#options;
    const range = { start: prefix, end: prefixEnd(prefix) };
    const { kvs, revision } = await store.range({ ...range, limit: 1, keysOnly: true });
    if (this.#made !== undefined || this.#disposed) return;
    if (kvs.length > 0) this.#use();
    else this.#watch = store.watch({ ...range, fromRevision: revision + 1, previous: false }, this.#sink());
  }

  /** Writes beside this storage are rare: a restore, or the objects of a first start. */
  #sink(): KeyValueSink {
    const use = () => {
      this.#use()
        .ready()
        .catch(() => {});
    };
    return {
      event: use,
      restored: (_, changed) => {
        if (changed.length === 0) return;
        use();
        return this.#preceded();
      },
      end: use,
    };
  }
}
