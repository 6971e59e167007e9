import type { KubeObject } from '@apiserver/apimachinery';
import type { FieldSelector, LabelSelector } from '@apiserver/apimachinery/selectors';
import type { StoredList, StoredObject } from './stored-object.js';
import type { WatchSource } from './watch.js';

/** How fresh a read must be. Absent: consistent. Upstream: storage.ListOptions / GetOptions */
export interface ReadRequirement {
  /** Decimal; "" or absent: the newest; "0": whatever is at hand. */
  readonly resourceVersion?: string;
  readonly match?: 'NotOlderThan' | 'Exact';
}

/** What must hold of the stored object for a write to go on. */
export interface StoragePreconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** What of a prefix is listed: `limit` objects at most, 0 or absent for all, going on at the token `continue`. */
export interface StorageListOptions extends ReadRequirement {
  readonly labelSelector: LabelSelector;
  readonly fieldSelector: FieldSelector;
  readonly limit?: number;
  readonly continue?: string;
}

/** What of a prefix is watched, and from when: after `resourceVersion`, or from the state and on without one. */
export interface StorageWatchOptions extends ReadRequirement {
  readonly labelSelector: LabelSelector;
  readonly fieldSelector: FieldSelector;
  readonly sendInitialEvents?: boolean;
  readonly allowBookmarks: boolean;
  /** Milliseconds since the epoch after which the watcher will go: a last bookmark is sent shortly before. */
  readonly deadline?: number;
}

/** What guaranteedUpdate is told about the object it may change. `object` is frozen. */
export interface UpdateInput<T extends KubeObject> {
  readonly object: T;
  /** See StoredObject. */
  load?(): Promise<T> | undefined;
  readonly resourceVersion: string;
  /** Bytes of the stored form, as far as that is known. */
  readonly byteLength?: number;
}

/**
 * Objects of one resource under keys: the seam between the generic Store and where things are kept
 * (a key-value store, or the watch cache in front of one).
 * Keys are relative to the resource: "name" or "namespace/name"; a prefix is "" or "namespace/".
 * Errors are StorageError; `registry-store/src/interpret-error.ts` alone turns them into Status.
 * Upstream: k8s.io/apiserver/pkg/storage.Interface
 */
export interface Storage<T extends KubeObject = KubeObject> extends AsyncDisposable {
  /** Throws StorageError KeyExists. `ttl` in seconds. `object` must have no resourceVersion. */
  create(key: string, object: T, options?: { readonly ttl?: number }): Promise<StoredObject<T>>;
  /** Throws KeyNotFound, InvalidPreconditions. Answers what was deleted, at the revision of the deletion. */
  delete(
    key: string,
    preconditions: StoragePreconditions,
    validate: (object: T) => Promise<void> | void,
  ): Promise<StoredObject<T>>;
  /**
   * Deletes what is there without reading it, for objects that cannot be read. Throws KeyNotFound.
   * Upstream: storage.DeleteOptions.IgnoreStoreReadError
   */
  deleteUnread(key: string): Promise<void>;
  get(key: string, requirement: ReadRequirement): Promise<StoredObject<T>>;
  list(prefix: string, options: StorageListOptions): Promise<StoredList<T>>;
  watch(prefix: string, options: StorageWatchOptions): Promise<WatchSource<T>>;
  /**
   * Reads, lets `update` make the new object, commits if nothing changed meanwhile, else tries again with the newer one.
   * `update` gets undefined when the key does not exist (then a returned object is created) and may throw.
   * A result equal to what is stored writes nothing and answers the stored object, no revision is spent.
   */
  guaranteedUpdate(
    key: string,
    preconditions: StoragePreconditions,
    update: (current: UpdateInput<T> | undefined) => Promise<{ readonly object: T; readonly ttl?: number }>,
  ): Promise<{ readonly stored: StoredObject<T>; readonly created: boolean }>;
  /** The newest revision, decimal. */
  currentResourceVersion(): Promise<string>;
  /** Resolves when reads can be served (the watch cache is filled). */
  ready(signal?: AbortSignal): Promise<void>;
}

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
  /** What is stored cannot be decrypted, or what is to be stored not encrypted. */
  | 'Transform'
  | 'Unavailable'
  | 'NoSpace'
  | 'Timeout';

/** A failure of storage, translated to a Status in one place. Recognised by `storageErrorCode`, not by instanceof. */
export interface StorageErrorLike extends Error {
  readonly storageErrorCode: StorageErrorCode;
  readonly key: string;
}
