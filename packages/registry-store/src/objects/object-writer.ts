import { setImmediate } from 'node:timers/promises';
import type { KubeObject } from '@apiserver/apimachinery';
import { plainFailure } from '@apiserver/apimachinery/errors';
import type { Storage, StoragePreconditions, StoredObject, WriteOptions } from '@apiserver/apiserver-contracts';
import type { CommitRequest, CommitResult } from '../key-value-store.js';
import { newKeyExistsError, newKeyNotFoundError } from '../storage-error.js';
import { entryOf, plainEntry, toStorage, transformedOf } from './entry-of.js';
import { loadedObject } from './loaded-object.js';
import { accessing, type ObjectFolder } from './object-folder.js';
import { checkPreconditions } from './preconditions.js';
import type { StoredEntry } from './stored-entry.js';
import { takeTurns } from './take-turns.js';

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

/**
 * Writes to the whole store, about as many as come between two collections of young objects. What is kept parsed for longer is
 * moved twice and becomes garbage of the old generation, which costs more than parsing it again.
 */
const SOON = 256;

/** Bytes of an object from which on encoding it is a turn of the event loop of its own. */
const LARGE = 64 * 1024;

type Update<T extends KubeObject> = Parameters<Storage<T>['guaranteedUpdate']>[2];

/** What a write starts from. */
interface Origin<T extends KubeObject> {
  readonly entry: StoredEntry<T> | undefined;
  readonly current: boolean;
  /** It comes from the store, not from a cache. */
  readonly read?: boolean;
}

/** The writing half of Storage, over the key-value store. */
export class ObjectWriter<T extends KubeObject> {
  readonly #folder: ObjectFolder<T>;
  readonly #cache: WriterCache<T> | undefined;
  /** Revision of the latest write. */
  #newest = 0;

  constructor(folder: ObjectFolder<T>, cache?: WriterCache<T>) {
    this.#folder = folder;
    this.#cache = cache;
  }

  async create(key: string, object: T, options: WriteOptions = {}): Promise<StoredObject<T>> {
    if ((object.metadata.resourceVersion ?? '') !== '') {
      throw plainFailure(500, 'resourceVersion should not be set on objects to be created');
    }
    const fullKey = this.#fullKey(key);
    const plain = options.isLarge === true ? await this.#encodeInTurns(object) : this.#folder.kind.form.encode(object);
    if (plain.length > LARGE) await setImmediate();
    const value = toStorage(this.#folder, fullKey, plain);
    const result = await this.#put(fullKey, { value, expectedRevision: 0, ttl: options.ttl });
    if (!result.committed) throw newKeyExistsError(fullKey, result.current?.modRevision);
    return this.#stored(key, plain, result.revision);
  }

  async #encodeInTurns(object: T): Promise<Uint8Array> {
    const { form } = this.#folder.kind;
    return form.encodeSteps === undefined ? form.encode(object) : takeTurns(form.encodeSteps(object));
  }

  async delete(
    key: string,
    preconditions: StoragePreconditions,
    validate: (object: T) => Promise<void> | void,
  ): Promise<StoredObject<T>> {
    const fullKey = this.#fullKey(key);
    let origin: Origin<T> = this.#cache?.lookUp(key) ?? (await this.#read(key));
    for (;;) {
      const entry = origin.entry;
      let object: T;
      try {
        if (entry === undefined) throw newKeyNotFoundError(fullKey);
        const loading = loadedObject(entry);
        object = loading instanceof Promise ? await loading : loading;
        checkPreconditions(preconditions, fullKey, { object, resourceVersion: entry.resourceVersion });
        await validate(object);
      } catch (error) {
        origin = await this.#retryOnNewer(key, origin, error);
        continue;
      }
      const result = await this.#commit({ type: 'delete', key: fullKey, expectedRevision: entry.revision });
      if (result.committed) return entry.atRevision(result.revision, object);
      origin = await this.#fromConflict(result);
    }
  }

  /**
   * Deletes what is there, readable or not, and asks nobody. Throws KeyNotFound.
   * Upstream: conditionalDelete of k8s.io/apiserver/pkg/storage/etcd3/store.go, with skipTransformDecode
   */
  async deleteUnread(key: string): Promise<void> {
    const fullKey = this.#fullKey(key);
    let { kv } = await accessing(fullKey, () => this.#folder.store.get(fullKey));
    for (;;) {
      if (kv === undefined) throw newKeyNotFoundError(fullKey);
      const result = await this.#commit({ type: 'delete', key: fullKey, expectedRevision: kv.modRevision });
      if (result.committed) return;
      kv = result.current;
    }
  }

  async guaranteedUpdate(
    key: string,
    preconditions: StoragePreconditions,
    update: Update<T>,
  ): Promise<{ readonly stored: StoredObject<T>; readonly created: boolean }> {
    const fullKey = this.#fullKey(key);
    let origin: Origin<T> = this.#cache?.lookUp(key) ?? (await this.#read(key));
    for (;;) {
      const entry = origin.entry;
      let wanted: Awaited<ReturnType<Update<T>>>;
      try {
        if (preconditions.uid !== undefined) await entry?.load();
        checkPreconditions(preconditions, fullKey, entry);
        wanted = await update(entry);
      } catch (error) {
        origin = await this.#retryOnNewer(key, origin, error);
        continue;
      }
      const { object } = wanted;
      const plain = wanted.isLarge === true ? await this.#encodeInTurns(object) : this.#folder.kind.form.encode(object);
      if (plain.length > LARGE) await setImmediate();
      const kept = this.#isSoon(entry) ? wanted.object : undefined;
      if (entry !== undefined && this.#looksUnchanged(plain, entry) && (await this.#unchanged(plain, entry))) {
        const newest = await this.#newestOf(key, origin);
        if (newest.revision !== entry.revision) {
          origin = await this.#read(key);
          continue;
        }
        if (!newest.stale) return { stored: entry, created: false };
      }
      // Parsed, it would be moved by a collection of young objects while the commit is waited for.
      if (entry !== undefined && kept === undefined) this.#folder.kind.decoded.drop(entry);
      const value = toStorage(this.#folder, fullKey, plain);
      const result = await this.#put(fullKey, { value, expectedRevision: entry?.revision ?? 0, ttl: wanted.ttl });
      if (result.committed) {
        const stored = this.#stored(key, plain, result.revision);
        if (kept !== undefined) stored.keepWritten(kept);
        return { stored, created: entry === undefined };
      }
      origin = await this.#fromConflict(result);
    }
  }

  /** Whether an object is updated a short while after it was written: such are mostly updated again. */
  #isSoon(entry: StoredEntry<T> | undefined): boolean {
    if (entry === undefined || this.#folder.kind.form.decodeWritten === undefined) return false;
    return this.#newest - entry.revision <= SOON;
  }

  /** A refusal that was made from what may be an old state counts only if the newest is that state. */
  async #retryOnNewer(key: string, origin: Origin<T>, error: unknown): Promise<Origin<T>> {
    if (origin.current) throw error;
    const newest = await this.#read(key);
    if (newest.entry?.revision === origin.entry?.revision) throw error;
    return newest;
  }

  async #read(key: string): Promise<Origin<T>> {
    const fullKey = this.#fullKey(key);
    const { kv } = await accessing(fullKey, () => this.#folder.store.get(fullKey));
    return { entry: kv && (await entryOf(this.#folder, kv)), current: true, read: true };
  }

  async #fromConflict(result: CommitResult & { readonly committed: false }): Promise<Origin<T>> {
    const entry = result.current && (await entryOf(this.#folder, result.current));
    return { entry, current: true, read: true };
  }

  /**
   * Whether what would not be changed is still what it was, and by now written with an old key: a state may have been read
   * before the keys were replaced.
   */
  async #newestOf(
    key: string,
    { entry, current, read }: Origin<T>,
  ): Promise<{ readonly revision: number; readonly stale: boolean }> {
    const { store, transformer } = this.#folder;
    const constant = transformer.constant === true;
    if (current && (constant || read === true)) return { revision: entry?.revision ?? 0, stale: false };
    const fullKey = this.#fullKey(key);
    const { kv } = await accessing(fullKey, () => store.get(fullKey));
    // A damaged record is written again: the writer knows its value.
    if (kv?.damage !== undefined) return { revision: kv.modRevision, stale: true };
    const stale = kv !== undefined && !constant && (await transformedOf(this.#folder, kv)).stale;
    return { revision: kv?.modRevision ?? 0, stale };
  }

  #looksUnchanged(plain: Uint8Array, { revision, bytes, stale }: StoredEntry<T>): boolean {
    const { form } = this.#folder.kind;
    if (stale || form.mayBecome?.(plain, bytes, revision) === false) return false;
    return Buffer.compare(form.wire(plain, revision).bytes, bytes) === 0;
  }

  /**
   * Whether the bytes at rest would stay the same, too. Equal wire bytes decide it where they are the bytes at rest;
   * otherwise (another storage version) what is stored has to be read.
   */
  async #unchanged(plain: Uint8Array, entry: StoredEntry<T>): Promise<boolean> {
    const { form } = this.#folder.kind;
    if (form.wireIsAtRest) return true;
    const fullKey = this.#fullKey(entry.key);
    const { kv } = await accessing(fullKey, () => this.#folder.store.get(fullKey));
    if (kv === undefined || kv.modRevision !== entry.revision) return false;
    return Buffer.compare((await transformedOf(this.#folder, kv)).bytes, plain) === 0;
  }

  /** The entry of what was just written: the cache's own if it has taken the write up already. */
  #stored(key: string, plain: Uint8Array, revision: number): StoredEntry<T> {
    this.#newest = revision;
    const cached = this.#cache?.lookUp(key)?.entry;
    if (cached?.revision === revision) return cached;
    const written = { key: this.#fullKey(key), modRevision: revision };
    const entry = plainEntry(this.#folder, written, { bytes: plain, stale: false });
    this.#cache?.wrote(entry);
    return entry;
  }

  #put(
    fullKey: string,
    { value, expectedRevision, ttl }: { value: Uint8Array; expectedRevision: number; ttl: number | undefined },
  ): Promise<CommitResult> {
    const ttlSeconds = ttl === undefined || ttl === 0 ? {} : { ttlSeconds: ttl };
    return this.#commit({ type: 'put', key: fullKey, value, expectedRevision, ...ttlSeconds });
  }

  #commit(request: CommitRequest): Promise<CommitResult> {
    return accessing(request.key, () => this.#folder.store.commit(request));
  }

  #fullKey(key: string): string {
    return this.#folder.kind.prefix + key;
  }
}
