import type { KubeObject } from '@apiserver/apimachinery';
import { sliceTurn } from '@apiserver/apimachinery/clock';
import { plainFailure } from '@apiserver/apimachinery/errors';
import {
  currentSpan,
  inSpan,
  loadedObject,
  type Storage,
  type StoragePreconditions,
  type StoredObject,
  type WorkPart,
  type WriteOptions,
} from '@apiserver/apiserver-contracts';
import type { CommitRequest, CommitResult, KeyValue } from '../key-value-store.js';
import { newKeyExistsError, newKeyNotFoundError } from '../storage-error.js';
import { convertedOf } from './converted-bytes.js';
import { entryOf, plainEntry, toStorage, transformedOf } from './entry-of.js';
import { LentObjects } from './forms/lent-objects.js';
import type { WireBytes } from './forms/object-form.js';
import { checkPreconditions } from './preconditions.js';
import { accessing, type ResourceContext } from './resource-context.js';
import { LARGE, type StoredEntry } from './stored-entry.js';
import { takeTurns } from './take-turns.js';
import type { Transformed } from './transformer.js';

/** A cache that spares the writer reads, and receives its writes. */
export interface WriterCache<T extends KubeObject> {
  /**
   * The newest state that the cache has of a key. `current` if it is certainly the newest (a cache of an in-process
   * store); otherwise a rejection based on it is first verified with the store. Undefined if the cache is not filled.
   */
  lookUp(key: string): { readonly entry: StoredEntry<T> | undefined; readonly current: boolean } | undefined;
  /**
   * The entry of a write at this revision, if its change has arrived. It is found among the newest changes, where a
   * look-up of the key would compare it with a dozen others.
   */
  writtenAt(key: string, revision: number): StoredEntry<T> | undefined;
  /** Receives a written entry whose change has not yet arrived, so that it is not decoded twice. */
  wrote(entry: StoredEntry<T>): void;
  /**
   * Receives an object whose bytes are about to be committed, until the returned function is called. Absent if changes
   * arrive only after the writer knows of its commit.
   */
  offer?(bytes: Uint8Array, object: T): () => void;
}

/**
 * Number of writes to the whole store between two minor collections, roughly. Decoded objects that live longer are
 * moved twice and promoted to the old generation, which costs more than decoding them again.
 */
const SOON = 256;

/** Size from which encoding an object takes a separate event loop turn. */
const LARGE_TO_ENCODE = 64 * 1024;

/** Size from which a written object is offered to the cache: small ones are decoded again at little cost. */
const WORTH_AN_OFFER = 4 * 1024;

type Update<T extends KubeObject> = Parameters<Storage<T>['guaranteedUpdate']>[2];

type Updated<T extends KubeObject> = Awaited<ReturnType<Storage<T>['guaranteedUpdate']>>;

type Wanted<T extends KubeObject> = Awaited<ReturnType<Update<T>>>;

/** The starting state of a write. */
interface Origin<T extends KubeObject> {
  readonly entry: StoredEntry<T> | undefined;
  readonly current: boolean;
  /** True if it was read from the store, not from a cache. */
  readonly read?: boolean;
}

/** The bytes of an object, and what a conversion of its definition makes of them. */
interface Encoded {
  readonly plain: Uint8Array;
  readonly atRest: Uint8Array;
}

/** A value to store. */
interface Put<T> {
  readonly value: Uint8Array;
  readonly expectedRevision: number;
  readonly ttl: number | undefined;
  /** The source of the value, if it may be kept. */
  readonly object: T | undefined;
  /** The object is read as soon as it is stored. */
  readonly isNeeded: boolean;
}

/** The write operations of Storage, over the key-value store. */
export class ObjectWriter<T extends KubeObject> {
  readonly #context: ResourceContext<T>;
  readonly #cache: WriterCache<T> | undefined;
  readonly #lent = new LentObjects<T>();
  /** Revision of the latest write. */
  #newest = 0;

  constructor(context: ResourceContext<T>, cache?: WriterCache<T>) {
    this.#context = context;
    this.#cache = cache;
  }

  create(key: string, object: T, options: WriteOptions = {}): Promise<StoredObject<T>> {
    if (currentSpan() === undefined) return this.#create(key, object, options);
    return inSpan(this.#part('Create', key), () => this.#create(key, object, options));
  }

  /** Not async: until the commit, its variables would keep a large object beside its bytes. */
  #create(key: string, object: T, options: WriteOptions): Promise<StoredObject<T>> {
    try {
      if ((object.metadata.resourceVersion ?? '') !== '') {
        throw plainFailure(500, 'resourceVersion should not be set on objects to be created');
      }
      const encoding = this.#encode(object, options);
      return this.#createEncoded(key, encoding, options, encoding instanceof Promise ? undefined : object);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Stores an encoding. `object` is its source if it may be kept: a large one is not. */
  async #createEncoded(
    key: string,
    encoding: Uint8Array | Promise<Uint8Array>,
    options: WriteOptions,
    object: T | undefined,
  ): Promise<StoredObject<T>> {
    const fullKey = this.#fullKey(key);
    const span = currentSpan();
    span?.addEvent('About to Encode');
    const encoded = this.#encoded(encoding);
    const { atRest } = encoded instanceof Promise ? await encoded : encoded;
    span?.addEvent('Encode succeeded', { len: atRest.length });
    const value = toStorage(this.#context, fullKey, atRest);
    span?.addEvent('TransformToStorage succeeded');
    const isNeeded = options.readsResult === true;
    const result = await this.#put(fullKey, { value, expectedRevision: 0, ttl: options.ttl, object, isNeeded });
    span?.addEvent('Txn call succeeded');
    if (!result.committed) throw newKeyExistsError(fullKey, result.current?.modRevision);
    const storing = this.#stored(key, atRest, result.revision);
    const stored = storing instanceof Promise ? await storing : storing;
    span?.addEvent('decode succeeded', { len: atRest.length });
    if (isNeeded && object !== undefined && this.#sharesWritten) this.#lent.lend(stored, object);
    return stored;
  }

  /** The bytes at rest; a promise for a large object. Upstream: PrepareObjectForStorage, which drops the link too */
  #encode(object: T, { isLarge }: WriteOptions): Uint8Array | Promise<Uint8Array> {
    const { form } = this.#context.kind;
    if (object.metadata.selfLink !== undefined) delete object.metadata.selfLink;
    return isLarge === true && form.encodeSteps !== undefined
      ? takeTurns(form.encodeSteps(object))
      : form.encode(object);
  }

  /** A promise if the bytes are many, or if a webhook converts them. */
  #encoded(encoding: Uint8Array | Promise<Uint8Array>): Encoded | Promise<Encoded> {
    const isLater = encoding instanceof Promise || encoding.length > LARGE_TO_ENCODE;
    if (isLater || this.#context.conversion !== undefined) return this.#encodedLater(encoding);
    return { plain: encoding, atRest: encoding };
  }

  async #encodedLater(encoding: Uint8Array | Promise<Uint8Array>): Promise<Encoded> {
    const plain = await encoding;
    if (plain.length > LARGE_TO_ENCODE) await sliceTurn();
    const { conversion } = this.#context;
    return { plain, atRest: conversion === undefined ? plain : await conversion.toStored(plain) };
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
   * Deletes an object, readable or not, without validation. Throws KeyNotFound.
   * Upstream: conditionalDelete of k8s.io/apiserver/pkg/storage/etcd3/store.go, with skipTransformDecode
   */
  async deleteUnread(key: string): Promise<void> {
    const fullKey = this.#fullKey(key);
    let { kv } = await accessing(fullKey, () => this.#context.store.get(fullKey));
    for (;;) {
      if (kv === undefined) throw newKeyNotFoundError(fullKey);
      const result = await this.#commit({ type: 'delete', key: fullKey, expectedRevision: kv.modRevision });
      if (result.committed) return;
      kv = result.current;
    }
  }

  guaranteedUpdate(key: string, preconditions: StoragePreconditions, update: Update<T>): Promise<Updated<T>> {
    if (currentSpan() === undefined) return this.#update(key, preconditions, update);
    return inSpan(this.#part('GuaranteedUpdate', key), () => this.#update(key, preconditions, update));
  }

  async #update(key: string, preconditions: StoragePreconditions, update: Update<T>): Promise<Updated<T>> {
    const fullKey = this.#fullKey(key);
    const span = currentSpan();
    let origin: Origin<T> = this.#cache?.lookUp(key) ?? (await this.#read(key));
    span?.addEvent('initial value restored');
    for (;;) {
      const entry = origin.entry;
      let wanted: Wanted<T> | undefined;
      try {
        if (preconditions.uid !== undefined) await entry?.load();
        checkPreconditions(preconditions, fullKey, entry);
        wanted = await update(entry);
      } catch (error) {
        origin = await this.#retryOnNewer(key, origin, error);
        continue;
      }
      const isSoon = this.#isSoon(entry);
      const isNeeded = wanted.readsResult === true && this.#sharesWritten;
      const written = isNeeded || isSoon ? wanted.object : undefined;
      const { ttl } = wanted;
      span?.addEvent('About to Encode');
      const encoding = this.#encode(wanted.object, wanted);
      // A large object is not in memory beside its bytes.
      wanted = undefined;
      const encoded = this.#encoded(encoding);
      const { plain, atRest } = encoded instanceof Promise ? await encoded : encoded;
      span?.addEvent('Encode succeeded', { len: atRest.length });
      const unchanged = entry !== undefined && this.#isUnchanged(plain, atRest, entry);
      if (entry !== undefined && unchanged && (await unchanged)) {
        const newest = await this.#newestOf(key, origin);
        if (newest.revision !== entry.revision) {
          origin = await this.#read(key);
          continue;
        }
        if (!newest.stale) return { stored: entry, created: false };
      }
      // If it were decoded, a minor collection would move it during the commit.
      if (entry !== undefined && !isSoon) this.#context.kind.decoded.drop(entry);
      const value = toStorage(this.#context, fullKey, atRest);
      span?.addEvent('TransformToStorage succeeded');
      span?.addEvent('Transaction prepared');
      const expectedRevision = entry?.revision ?? 0;
      const result = await this.#put(fullKey, { value, expectedRevision, ttl, object: written, isNeeded });
      span?.addEvent('Txn call completed');
      span?.addEvent('Transaction committed');
      if (result.committed) {
        const storing = this.#stored(key, atRest, result.revision);
        const stored = storing instanceof Promise ? await storing : storing;
        span?.addEvent('decode succeeded', { len: atRest.length });
        if (written !== undefined) this.#keep(stored, written, isSoon);
        return { stored, created: entry === undefined };
      }
      origin = await this.#fromConflict(result);
      span?.addEvent('Retry value restored');
    }
  }

  /** Upstream: k8s.io/apiserver/pkg/storage/etcd3/store.go, whatever the store is here */
  #part(operation: string, key: string): WorkPart {
    const { groupResource, keyPrefix } = this.#context.kind;
    const { group, resource } = groupResource;
    return {
      name: `${operation} etcd3`,
      attributes: (auditId) => ({ 'audit-id': auditId, key: `/${keyPrefix}/${key}`, group, resource }),
    };
  }

  /** True if a written object can be read again without its bytes. */
  get #sharesWritten(): boolean {
    return this.#context.kind.form.decodeWritten !== undefined;
  }

  /**
   * Reports whether an object was written recently: such objects are usually updated again. Large ones are not kept.
   */
  #isSoon(entry: StoredEntry<T> | undefined): boolean {
    if (entry === undefined || entry.isLarge || !this.#sharesWritten) return false;
    return this.#newest - entry.revision <= SOON;
  }

  #keep(stored: StoredEntry<T>, written: T, isSoon: boolean): void {
    if (isSoon) stored.keepWritten(written);
    else this.#lent.lend(stored, written);
  }

  /** A rejection based on a possibly stale state only counts if that state is the newest. */
  async #retryOnNewer(key: string, origin: Origin<T>, error: unknown): Promise<Origin<T>> {
    if (origin.current) throw error;
    const newest = await this.#read(key);
    if (newest.entry?.revision === origin.entry?.revision) throw error;
    return newest;
  }

  async #read(key: string): Promise<Origin<T>> {
    const fullKey = this.#fullKey(key);
    const { kv } = await accessing(fullKey, () => this.#context.store.get(fullKey));
    return { entry: kv && (await entryOf(this.#context, kv)), current: true, read: true };
  }

  async #fromConflict(result: CommitResult & { readonly committed: false }): Promise<Origin<T>> {
    const entry = result.current && (await entryOf(this.#context, result.current));
    return { entry, current: true, read: true };
  }

  /**
   * Verifies that an unchanged object is still current, and not stale by now: it may have been read before a key
   * rotation.
   */
  async #newestOf(
    key: string,
    { entry, current, read }: Origin<T>,
  ): Promise<{ readonly revision: number; readonly stale: boolean }> {
    const { store, transformer } = this.#context;
    const constant = transformer.constant === true;
    if (current && (constant || read === true)) return { revision: entry?.revision ?? 0, stale: false };
    const fullKey = this.#fullKey(key);
    const { kv } = await accessing(fullKey, () => store.get(fullKey));
    // A damaged record is rewritten: the writer knows its value.
    if (kv?.damage !== undefined) return { revision: kv.modRevision, stale: true };
    const stale = kv !== undefined && !constant && (await transformedOf(this.#context, kv)).stale;
    return { revision: kv?.modRevision ?? 0, stale };
  }

  /** Reports whether a write of these bytes would change nothing. Mostly false at once. */
  #isUnchanged(plain: Uint8Array, atRest: Uint8Array, entry: StoredEntry<T>): false | Promise<boolean> {
    const looksUnchanged = this.#looksUnchanged(plain, entry);
    return looksUnchanged && this.#isSameAtRest(looksUnchanged, atRest, entry);
  }

  #looksUnchanged(plain: Uint8Array, { revision, bytes, stale }: StoredEntry<T>): boolean | Promise<boolean> {
    const { form } = this.#context.kind;
    // A version may lack fields of the stored one: only the bytes at rest tell.
    if (this.#context.conversion !== undefined) return !stale;
    if (stale || form.mayBecome?.(plain, bytes, revision) === false) return false;
    const isSame = (wire: WireBytes) => Buffer.compare(wire.bytes, bytes) === 0;
    const steps = plain.length >= LARGE ? form.wireSteps?.(plain, revision) : undefined;
    return steps === undefined ? isSame(form.wire(plain, revision)) : takeTurns(steps).then(isSame);
  }

  /**
   * Reports whether the bytes at rest would stay the same too. Equal wire bytes suffice if they are the bytes at rest;
   * otherwise (another storage version) the stored bytes must be read.
   */
  async #isSameAtRest(looksUnchanged: true | Promise<boolean>, atRest: Uint8Array, entry: StoredEntry<T>) {
    if (!(await looksUnchanged)) return false;
    const { form } = this.#context.kind;
    if (form.wireIsAtRest && this.#context.conversion === undefined) return true;
    const fullKey = this.#fullKey(entry.key);
    const { kv } = await accessing(fullKey, () => this.#context.store.get(fullKey));
    if (kv === undefined || kv.modRevision !== entry.revision) return false;
    return Buffer.compare((await transformedOf(this.#context, kv)).bytes, atRest) === 0;
  }

  /** The entry of the last write: the cache's own if it already has it. A promise if a webhook converts it. */
  #stored(key: string, atRest: Uint8Array, revision: number): StoredEntry<T> | Promise<StoredEntry<T>> {
    this.#newest = revision;
    const cached = this.#cache?.writtenAt(key, revision);
    if (cached !== undefined) return cached;
    const written = { key: this.#fullKey(key), modRevision: revision };
    const plain = convertedOf(this.#context, { bytes: atRest, stale: false }, written.key);
    if (plain instanceof Promise) return plain.then((bytes) => this.#writtenEntry(written, bytes));
    return this.#writtenEntry(written, plain);
  }

  #writtenEntry(
    written: Pick<KeyValue, 'key' | 'modRevision'>,
    plain: Transformed,
  ): StoredEntry<T> | Promise<StoredEntry<T>> {
    const entry = plainEntry(this.#context, written, plain);
    const known = (of: StoredEntry<T>) => {
      this.#cache?.wrote(of);
      return of;
    };
    return entry instanceof Promise ? entry.then(known) : known(entry);
  }

  #put(fullKey: string, { value, expectedRevision, ttl, object, isNeeded }: Put<T>): Promise<CommitResult> {
    const ttlSeconds = ttl === undefined || ttl === 0 ? {} : { ttlSeconds: ttl };
    const committing = this.#commit({ type: 'put', key: fullKey, value, expectedRevision, ...ttlSeconds });
    if (object === undefined || (value.length < WORTH_AN_OFFER && !isNeeded)) return committing;
    return this.#offering(value, object, committing);
  }

  /** The store delivers the change before the commit resolves, and never in the turn of the request. */
  #offering(value: Uint8Array, object: T, committing: Promise<CommitResult>): Promise<CommitResult> {
    const withdraw = this.#sharesWritten ? this.#cache?.offer?.(value, object) : undefined;
    return withdraw === undefined ? committing : committing.finally(withdraw);
  }

  #commit(request: CommitRequest): Promise<CommitResult> {
    return accessing(request.key, () => this.#context.store.commit(request));
  }

  #fullKey(key: string): string {
    return this.#context.kind.prefix + key;
  }
}
