import type { KubeObject } from '@apiserver/apimachinery';
import type { Storage, StoragePreconditions, StoredObject } from '@apiserver/apiserver-contracts';
import type { CommitRequest, CommitResult } from '../key-value-store.js';
import { newKeyExistsError, newKeyNotFoundError } from '../storage-error.js';
import { newPlainFailure } from '../store/plain-failure.js';
import { accessing, entryOf, type ObjectFolder } from './object-folder.js';
import { checkPreconditions } from './preconditions.js';
import type { StoredEntry } from './stored-entry.js';

/** A cache that spares the writer reads, and takes up what it writes. */
export interface WriterCache<T extends KubeObject> {
  /**
   * The newest state the cache knows of a key. `current` when it is known to be the newest of all (a cache beside an
   * in-process store); otherwise a refusal made from it is checked against the store first.
   * Undefined: the cache knows nothing yet.
   */
  lookUp(key: string): { readonly entry: StoredEntry<T> | undefined; readonly current: boolean } | undefined;
  /** What was written and has not come back as a change yet, so that it need not be decoded twice. */
  wrote(entry: StoredEntry<T>): void;
}

type Update<T extends KubeObject> = Parameters<Storage<T>['guaranteedUpdate']>[2];

/** What a write starts from. */
interface Origin<T extends KubeObject> {
  readonly entry: StoredEntry<T> | undefined;
  readonly current: boolean;
}

/** The writing half of Storage, over the key-value store. */
export class ObjectWriter<T extends KubeObject> {
  readonly #folder: ObjectFolder<T>;
  readonly #cache: WriterCache<T> | undefined;

  constructor(folder: ObjectFolder<T>, cache?: WriterCache<T>) {
    this.#folder = folder;
    this.#cache = cache;
  }

  async create(key: string, object: T, options: { readonly ttl?: number } = {}): Promise<StoredObject<T>> {
    if ((object.metadata.resourceVersion ?? '') !== '') {
      throw newPlainFailure('resourceVersion should not be set on objects to be created');
    }
    const value = this.#encode(key, object);
    const result = await this.#put(key, { value, expectedRevision: 0, ttl: options.ttl });
    if (!result.committed) throw newKeyExistsError(this.#fullKey(key), result.current?.modRevision);
    return this.#stored(key, value, result.revision);
  }

  async delete(
    key: string,
    preconditions: StoragePreconditions,
    validate: (object: T) => Promise<void>,
  ): Promise<StoredObject<T>> {
    const fullKey = this.#fullKey(key);
    let origin = await this.#origin(key);
    for (;;) {
      const entry = origin.entry;
      try {
        if (entry === undefined) throw newKeyNotFoundError(fullKey);
        checkPreconditions(preconditions, fullKey, entry);
        await validate(entry.object);
      } catch (error) {
        origin = await this.#retryOnNewer(key, origin, error);
        continue;
      }
      const result = await this.#commit({ type: 'delete', key: fullKey, expectedRevision: entry.revision });
      if (result.committed) return entry.atRevision(result.revision);
      origin = this.#fromConflict(result);
    }
  }

  async guaranteedUpdate(
    key: string,
    preconditions: StoragePreconditions,
    update: Update<T>,
  ): Promise<{ readonly stored: StoredObject<T>; readonly created: boolean }> {
    const fullKey = this.#fullKey(key);
    let origin = await this.#origin(key);
    for (;;) {
      const entry = origin.entry;
      let wanted: Awaited<ReturnType<Update<T>>>;
      try {
        checkPreconditions(preconditions, fullKey, entry);
        wanted = await update(entry);
      } catch (error) {
        origin = await this.#retryOnNewer(key, origin, error);
        continue;
      }
      const plain = this.#folder.kind.form.encode(wanted.object);
      if (entry !== undefined && (await this.#unchanged(plain, entry))) {
        if (origin.current) return { stored: entry, created: false };
        origin = await this.#read(key);
        if (origin.entry?.revision === entry.revision) return { stored: entry, created: false };
        continue;
      }
      const value = this.#folder.transformer.toStorage(plain, fullKey);
      const result = await this.#put(key, { value, expectedRevision: entry?.revision ?? 0, ttl: wanted.ttl });
      if (result.committed) {
        return { stored: this.#stored(key, value, result.revision), created: entry === undefined };
      }
      origin = this.#fromConflict(result);
    }
  }

  /** A refusal that was made from what may be an old state counts only if the newest is that state. */
  async #retryOnNewer(key: string, origin: Origin<T>, error: unknown): Promise<Origin<T>> {
    if (origin.current) throw error;
    const newest = await this.#read(key);
    if (newest.entry?.revision === origin.entry?.revision) throw error;
    return newest;
  }

  async #origin(key: string): Promise<Origin<T>> {
    return this.#cache?.lookUp(key) ?? (await this.#read(key));
  }

  async #read(key: string): Promise<Origin<T>> {
    const fullKey = this.#fullKey(key);
    const { kv } = await accessing(fullKey, () => this.#folder.store.get(fullKey));
    return { entry: kv && entryOf(this.#folder, kv), current: true };
  }

  #fromConflict(result: CommitResult & { readonly committed: false }): Origin<T> {
    return { entry: result.current && entryOf(this.#folder, result.current), current: true };
  }

  /**
   * Whether the bytes at rest would stay the same. Equal wire bytes decide it where they are the bytes at rest;
   * otherwise (another storage version) what is stored has to be read.
   */
  async #unchanged(plain: Uint8Array, entry: StoredEntry<T>): Promise<boolean> {
    const { form } = this.#folder.kind;
    if (entry.stale || Buffer.compare(form.wire(plain, entry.revision).bytes, entry.bytes) !== 0) return false;
    if (form.wireIsAtRest) return true;
    const fullKey = this.#fullKey(entry.key);
    const { kv } = await accessing(fullKey, () => this.#folder.store.get(fullKey));
    if (kv === undefined || kv.modRevision !== entry.revision) return false;
    return Buffer.compare(this.#folder.transformer.fromStorage(kv.value, fullKey).bytes, plain) === 0;
  }

  /** The entry of what was just written: the cache's own if it has taken the write up already. */
  #stored(key: string, value: Uint8Array, revision: number): StoredEntry<T> {
    const cached = this.#cache?.lookUp(key)?.entry;
    if (cached?.revision === revision) return cached;
    const entry = entryOf(this.#folder, { key: this.#fullKey(key), value, modRevision: revision });
    this.#cache?.wrote(entry);
    return entry;
  }

  #encode(key: string, object: T): Uint8Array {
    return this.#folder.transformer.toStorage(this.#folder.kind.form.encode(object), this.#fullKey(key));
  }

  #put(
    key: string,
    { value, expectedRevision, ttl }: { value: Uint8Array; expectedRevision: number; ttl: number | undefined },
  ): Promise<CommitResult> {
    const ttlSeconds = ttl === undefined || ttl === 0 ? {} : { ttlSeconds: ttl };
    return this.#commit({ type: 'put', key: this.#fullKey(key), value, expectedRevision, ...ttlSeconds });
  }

  #commit(request: CommitRequest): Promise<CommitResult> {
    return accessing(request.key, () => this.#folder.store.commit(request));
  }

  #fullKey(key: string): string {
    return this.#folder.kind.prefix + key;
  }
}
