import type { KubeObject } from '@apiserver/apimachinery';
import { storageErrorOf } from '../interpret-error.js';
import { isKeyValueError } from '../key-value-error.js';
import { type KeyValueStore, prefixEnd } from '../key-value-store.js';
import type { StoreMetrics } from './store-metrics.js';
import type { EntryKind, StoredEntry } from './stored-entry.js';
import type { Transformer } from './transformer.js';

/** Entries of a folder, all of them at one revision. */
export interface FolderState<T extends KubeObject> {
  readonly entries: readonly StoredEntry<T>[];
  readonly revision: number;
}

/** One resource's folder in the key-value store, and how its values become entries. */
export interface ObjectFolder<T extends KubeObject> {
  readonly store: KeyValueStore;
  readonly kind: EntryKind<T>;
  readonly transformer: Transformer;
  /** Default: nothing is counted. */
  readonly metrics?: StoreMetrics;
  /** See StorageProviderOptions. */
  readonly unsafeDeletion?: boolean;
  /** The entry of a relative key at just this revision, if it is at hand: then its bytes need not be decoded again. */
  known?(key: string, revision: number): StoredEntry<T> | undefined;
  /** All entries below a relative prefix as of a revision that may be past, in key order. Undefined: nobody knows them. */
  state?(prefix: string): FolderState<T> | undefined;
}

/** Full keys of everything below a relative prefix ("" or "namespace/"). */
export function folderRange<T extends KubeObject>(
  folder: ObjectFolder<T>,
  prefix: string,
): { readonly start: string; readonly end: string } {
  const start = folder.kind.prefix + prefix;
  return { start, end: prefixEnd(start) };
}

/** Runs a call to the store; its failures become StorageErrors about `key`. */
export function accessing<R>(key: string, call: () => Promise<R>): Promise<R> {
  return call().catch((error: unknown) => {
    throw isKeyValueError(error) ? storageErrorOf(error, key) : error;
  });
}
