import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldSelector, LabelSelector } from '@apiserver/apimachinery/selectors';
import type { StoredList, StoredObject } from './stored-object.js';
import type { WatchSource } from './watch.js';

/** The minimum freshness of a read. Default: consistent. Upstream: storage.ListOptions / GetOptions */
export interface ReadRequirement {
  /** Decimal. "" or absent: the latest; "0": any cached version. */
  readonly resourceVersion?: string;
  readonly match?: 'NotOlderThan' | 'Exact';
}

/** Conditions on the stored object that a write requires. */
export interface StoragePreconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** Selects objects by the hash of one field. Upstream: k8s.io/apimachinery/pkg/sharding.Selector */
export interface ShardSelector {
  /** The field of metadata that is hashed. */
  readonly field: 'uid' | 'namespace';
  /** The selector as responses show it. */
  readonly text: string;
  /** Reports whether the hash of a value of the field lies in a range of the selector. */
  matches(value: string): boolean;
}

/** A list of a prefix: at most `limit` objects (0 or absent: all), continued at the token `continue`. */
export interface StorageListOptions extends ReadRequirement {
  readonly labelSelector: LabelSelector;
  readonly fieldSelector: FieldSelector;
  /** Default: no selection by hashes. */
  readonly shardSelector?: ShardSelector;
  readonly limit?: number;
  readonly continue?: string;
}

/** A watch of a prefix: after `resourceVersion` or, without one, from the current state. */
export interface StorageWatchOptions extends ReadRequirement {
  readonly labelSelector: LabelSelector;
  readonly fieldSelector: FieldSelector;
  /** Default: no selection by hashes. */
  readonly shardSelector?: ShardSelector;
  readonly sendInitialEvents?: boolean;
  readonly allowBookmarks: boolean;
  /** End of the watch, by the clock for durations; a last bookmark is sent shortly before. */
  readonly deadline?: number;
}

/** The stored object as input of an update. `object` is frozen. */
export interface UpdateInput<T extends KubeObject> {
  readonly object: T;
  /** See `StoredObject`. */
  load?(): Promise<T> | undefined;
  readonly resourceVersion: string;
  /** Size of the stored form in bytes, if known. */
  readonly byteLength?: number;
}

/** Options of a write. */
export interface WriteOptions {
  /** Time to live in seconds; absent or 0 for no expiry. */
  readonly ttl?: number;
  /** True if encoding may take tens of milliseconds; it is then spread over event loop turns. */
  readonly isLarge?: boolean;
  /** True if the value of the stored object is needed soon. */
  readonly readsResult?: boolean;
}

/**
 * Objects of one resource by key: the interface between the generic Store and its storage, which is a key-value store
 * or the watch cache. Keys are relative to the resource: "name" or "namespace/name"; a prefix is "" or "namespace/".
 * Errors are StorageErrors; only `registry-store/src/interpret-error.ts` converts them to a Status.
 * Upstream: k8s.io/apiserver/pkg/storage.Interface
 */
export interface Storage<T extends KubeObject = KubeObject> extends AsyncDisposable {
  /** Throws StorageError KeyExists. `object` must have no resourceVersion. */
  create(key: string, object: T, options?: WriteOptions): Promise<StoredObject<T>>;
  /** Throws KeyNotFound, InvalidPreconditions. Returns the deleted object at the revision of the deletion. */
  delete(
    key: string,
    preconditions: StoragePreconditions,
    validate: (object: T) => Promise<void> | void,
  ): Promise<StoredObject<T>>;
  /**
   * Deletes an object without reading it, for unreadable objects. Throws KeyNotFound.
   * Upstream: storage.DeleteOptions.IgnoreStoreReadError
   */
  deleteUnread(key: string): Promise<void>;
  get(key: string, requirement: ReadRequirement): Promise<StoredObject<T>>;
  list(prefix: string, options: StorageListOptions): Promise<StoredList<T>>;
  watch(prefix: string, options: StorageWatchOptions): Promise<WatchSource<T>>;
  /**
   * Reads the object and passes it to `update`. Writes the result if nothing changed in between, otherwise retries
   * with the latest object. For a missing key, `update` receives undefined and may return an object to create. It may
   * throw. A result equal to the stored object writes nothing and spends no revision.
   */
  guaranteedUpdate(
    key: string,
    preconditions: StoragePreconditions,
    update: (current: UpdateInput<T> | undefined) => Promise<{ readonly object: T } & WriteOptions>,
  ): Promise<{ readonly stored: StoredObject<T>; readonly created: boolean }>;
  /** A new object as it would be read after it was stored, with the resourceVersion that it has: for dry runs. */
  reread(object: T, options?: WriteOptions): Promise<T>;
  /** The latest revision, decimal. */
  currentResourceVersion(): Promise<string>;
  /** Resolves when reads can be served (the watch cache is initialized). */
  ready(signal?: AbortSignal): Promise<void>;
}

/** The kind of a failure of storage. Upstream: k8s.io/apiserver/pkg/storage.StorageError */
export type StorageErrorCode =
  | 'KeyNotFound'
  | 'KeyExists'
  | 'ResourceVersionConflicts'
  | 'InvalidPreconditions'
  | 'InvalidObject'
  | 'Expired'
  | 'TooLargeResourceVersion'
  | 'TooLarge'
  | 'Corrupt'
  /** A stored value cannot be decrypted, or a new one not encrypted. */
  | 'Transform'
  | 'Unavailable'
  | 'NoSpace'
  | 'Timeout';

/** A storage failure, converted to a Status in one place. Recognised by `storageErrorCode`, not by instanceof. */
export interface StorageErrorLike extends Error {
  readonly storageErrorCode: StorageErrorCode;
  readonly key: string;
}

/** Number and average size of a resource's objects. */
export interface ObjectStats {
  readonly count: number;
  /** In bytes; 0 if unknown. */
  readonly averageBytes: number;
}
