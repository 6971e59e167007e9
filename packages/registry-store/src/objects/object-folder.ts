import type { KubeObject } from '@apiserver/apimachinery';
import { storageErrorOf } from '../interpret-error.js';
import { isKeyValueError } from '../key-value-error.js';
import type { KeyValue, KeyValueEvent, KeyValueStore } from '../key-value-store.js';
import { prefixEnd } from '../key-value-store.js';
import { newCorruptObjectError } from '../storage-error.js';
import { Change } from './change.js';
import { type EntryKind, StoredEntry } from './stored-entry.js';
import type { Transformer } from './transformer.js';

/** One resource's folder in the key-value store, and how its values become entries. */
export interface ObjectFolder<T extends KubeObject> {
  readonly store: KeyValueStore;
  readonly kind: EntryKind<T>;
  readonly transformer: Transformer;
  /** The entry of a relative key at just this revision, if it is at hand: then its bytes need not be decoded again. */
  known?(key: string, revision: number): StoredEntry<T> | undefined;
}

/** Full keys of everything below a relative prefix ("" or "namespace/"). */
export function folderRange<T extends KubeObject>(
  folder: ObjectFolder<T>,
  prefix: string,
): { readonly start: string; readonly end: string } {
  const start = folder.kind.prefix + prefix;
  return { start, end: prefixEnd(start) };
}

/** The entry of a stored value. Throws Corrupt when the value is no object. */
export function entryOf<T extends KubeObject>(folder: ObjectFolder<T>, kv: KeyValue): StoredEntry<T> {
  const { kind, transformer } = folder;
  const key = kv.key.slice(kind.prefix.length);
  const known = folder.known?.(key, kv.modRevision);
  if (known !== undefined) return known;
  try {
    const { bytes, stale } = transformer.fromStorage(kv.value, kv.key);
    const wire = kind.form.wire(bytes, kv.modRevision);
    const form = { bytes: wire.bytes, stale: stale || wire.outdated };
    return new StoredEntry(kind, key, kv.modRevision, form);
  } catch (cause) {
    throw newCorruptObjectError(kv.key, cause);
  }
}

/** The entry of the state an event brought; undefined for a deletion. */
export function currentOf<T extends KubeObject>(
  folder: ObjectFolder<T>,
  event: KeyValueEvent,
): StoredEntry<T> | undefined {
  if (event.type === 'delete') return undefined;
  return entryOf(folder, { key: event.key, value: event.value, modRevision: event.revision });
}

/** The change an event stands for, with the state before read from the event; must be called while it is delivered. */
export function changeOf<T extends KubeObject>(folder: ObjectFolder<T>, event: KeyValueEvent): Change<T> {
  const { previous } = event;
  return new Change(event.key.slice(folder.kind.prefix.length), event.revision, {
    current: currentOf(folder, event),
    previous: previous && entryOf(folder, previous),
  });
}

/** Runs a call to the store; its failures become StorageErrors about `key`. */
export async function accessing<R>(key: string, call: () => Promise<R>): Promise<R> {
  try {
    return await call();
  } catch (error) {
    throw isKeyValueError(error) ? storageErrorOf(error, key) : error;
  }
}
