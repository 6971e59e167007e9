import type { KubeObject } from '@apiserver/apimachinery';
import { storageErrorOf } from '../interpret-error.js';
import { isKeyValueError } from '../key-value-error.js';
import { type KeyValueStore, prefixEnd } from '../key-value-store.js';
import type { AtRestConversion } from './at-rest-conversion.js';
import type { StoreMetrics } from './store-metrics.js';
import type { EntryKind, StoredEntry } from './stored-entry.js';
import type { Transformer } from './transformer.js';

/** Entries of a resource at one revision. */
export interface ResourceState<T extends KubeObject> {
  readonly entries: readonly StoredEntry<T>[];
  readonly revision: number;
}

/** One resource in the key-value store, and the conversion of its values to entries. */
export interface ResourceContext<T extends KubeObject> {
  readonly store: KeyValueStore;
  readonly kind: EntryKind<T>;
  readonly transformer: Transformer;
  /** Default: bytes at rest are read as they are. */
  readonly conversion?: AtRestConversion;
  /** Default: no metrics. */
  readonly metrics?: StoreMetrics;
  /** See StorageProviderOptions. */
  readonly unsafeDeletion?: boolean;
  /** The entry of a relative key at exactly this revision, if it is available: its bytes then need no decoding. */
  known?(key: string, revision: number): StoredEntry<T> | undefined;
  /** All entries below a relative prefix at a possibly past revision, in key order. Undefined if unknown. */
  state?(prefix: string): ResourceState<T> | undefined;
}

/** The range of all full keys below a relative prefix ("" or "namespace/"). */
export function resourceRange<T extends KubeObject>(
  context: ResourceContext<T>,
  prefix: string,
): { readonly start: string; readonly end: string } {
  const start = context.kind.prefix + prefix;
  return { start, end: prefixEnd(start) };
}

/** Runs a call to the store; its failures become StorageErrors about `key`. */
export function accessing<R>(key: string, call: () => Promise<R>): Promise<R> {
  return call().catch((error: unknown) => {
    throw isKeyValueError(error) ? storageErrorOf(error, key) : error;
  });
}
