import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { isStatusError, messageOf } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import { STAYS } from '../kept/byte-slabs.js';
import type { KeyValue, KeyValueEvent } from '../key-value-store.js';
import { isStorageError, newCorruptObjectError, newTransformError } from '../storage-error.js';
import { Change } from './change.js';
import { convertedOf } from './converted-bytes.js';
import type { WireBytes } from './forms/object-form.js';
import type { Allocate } from './forms/resource-version-splice.js';
import type { ResourceContext } from './resource-context.js';
import { LARGE, StoredEntry } from './stored-entry.js';
import { takeTurns } from './take-turns.js';
import type { Transformed } from './transformer.js';

/**
 * The entry of a stored value; a promise if a key must be fetched first, or a webhook converts it. A synchronous result
 * may be in memory from `allocate`. Throws, or rejects with, Transform if the value cannot be decrypted and Corrupt if
 * it is not an object.
 */
export function entryOf<T extends KubeObject>(
  context: ResourceContext<T>,
  kv: KeyValue,
  allocate?: Allocate,
): StoredEntry<T> | Promise<StoredEntry<T>> {
  const known = context.known?.(kv.key.slice(context.kind.prefix.length), kv.modRevision);
  if (known !== undefined) return known;
  if (kv.damage !== undefined) throw newCorruptObjectError(kv.key, kv.damage);
  const plain = plainOf(context, kv);
  if (plain instanceof Promise) return plain.then((bytes) => plainEntry(context, kv, bytes));
  return plainEntry(context, kv, plain, allocate);
}

/**
 * The entry of a stored value whose wire bytes forks of its store have in common. Undefined if the value has to be
 * read. The value must be plain.
 */
export function sharedEntry<T extends KubeObject>(
  { kind }: ResourceContext<T>,
  kv: KeyValue,
): StoredEntry<T> | undefined {
  const wire = kind.known?.()?.wires?.of(kv, kind);
  if (wire === undefined) return undefined;
  const entry = new StoredEntry(kind, wire.key, kv.modRevision, { bytes: wire.bytes, stale: false });
  entry.storedBytes = kv.value.length;
  entry.slot = STAYS;
  return entry;
}

/** As entryOf, for one of many: errors name the key. Upstream: etcd3/store.go GetList */
export function listedEntry<T extends KubeObject>(
  context: ResourceContext<T>,
  kv: KeyValue,
  allocate?: Allocate,
): StoredEntry<T> | Promise<StoredEntry<T>> {
  try {
    const entry = entryOf(context, kv, allocate);
    return entry instanceof Promise ? entry.catch((error: unknown) => Promise.reject(inList(error))) : entry;
  } catch (error) {
    throw inList(error);
  }
}

function plainOf<T extends KubeObject>(context: ResourceContext<T>, kv: KeyValue): Transformed | Promise<Transformed> {
  const transformed = transformedOf(context, kv);
  if (context.conversion === undefined) return transformed;
  const convert = (atRest: Transformed) => convertedOf(context, atRest, kv.key);
  return transformed instanceof Promise ? transformed.then(convert) : convert(transformed);
}

/**
 * Starts the conversion of a whole page: a webhook then gets many objects in one call. Failures are reported when an
 * entry is awaited. Yields between slices of time, since each object is decoded first.
 */
export async function entriesAhead<T extends KubeObject>(
  context: ResourceContext<T>,
  kvs: readonly KeyValue[],
): Promise<readonly PendingEntry<T>[]> {
  const entries: PendingEntry<T>[] = [];
  const slice = new TimeSlice();
  for (const [index, kv] of kvs.entries()) {
    if (slice.overAt(index, 8, kv.value.length)) await slice.yield();
    const entry = pendingEntry(context, kv);
    entries.push(entry);
    // Decoded large objects are not in memory beside each other.
    if (entry instanceof Promise && kv.value.length >= LARGE) await entry.catch(() => {});
  }
  return entries;
}

/** The failure of a pending entry may be looked at later. */
type PendingEntry<T extends KubeObject> = StoredEntry<T> | Promise<StoredEntry<T>>;

function pendingEntry<T extends KubeObject>(context: ResourceContext<T>, kv: KeyValue): PendingEntry<T> {
  try {
    const entry = listedEntry(context, kv);
    if (entry instanceof Promise) entry.catch(() => {});
    return entry;
  } catch (error) {
    const entry = Promise.reject(error);
    entry.catch(() => {});
    return entry;
  }
}

/** The decrypted bytes of a key's value. Throws, or rejects with, Transform. */
export function transformedOf<T extends KubeObject>(
  context: ResourceContext<T>,
  { key, value }: Pick<KeyValue, 'key' | 'value'>,
): Transformed | Promise<Transformed> {
  const fail = (cause: unknown): never => {
    throw newTransformError(key, messageOf(cause), cause);
  };
  try {
    const transformed = context.transformer.fromStorage(value, key);
    return transformed instanceof Promise ? transformed.catch(fail) : transformed;
  } catch (cause) {
    return fail(cause);
  }
}

/** The bytes to store under a full key. Throws Transform. */
export function toStorage<T extends KubeObject>(
  context: ResourceContext<T>,
  key: string,
  plain: Uint8Array,
): Uint8Array {
  try {
    return context.transformer.toStorage(plain, key);
  } catch (cause) {
    throw newTransformError(key, messageOf(cause), cause);
  }
}

/**
 * The entry of an unencrypted value; a promise if a large one is converted, which takes several turns. Throws, or
 * rejects with, Corrupt, or a StatusError for a value of a version that is gone.
 */
export function plainEntry<T extends KubeObject>(
  { kind, metrics }: ResourceContext<T>,
  { key, modRevision, value }: Pick<KeyValue, 'key' | 'modRevision'> & Partial<KeyValue>,
  { bytes, stale }: Transformed,
  allocate?: Allocate,
): StoredEntry<T> | Promise<StoredEntry<T>> {
  const storedBytes = value?.length ?? 0;
  const made = (wire: WireBytes): StoredEntry<T> => {
    const form = { bytes: wire.bytes, stale: stale || wire.outdated };
    const entry = new StoredEntry(kind, ownText(key.slice(kind.prefix.length)), modRevision, form);
    entry.storedBytes = storedBytes;
    return entry;
  };
  const fail = (cause: unknown): never => {
    if (isStatusError(cause)) throw cause;
    metrics?.undecodable();
    throw newCorruptObjectError(key, cause);
  };
  try {
    const steps = bytes.length >= LARGE ? kind.form.wireSteps?.(bytes, modRevision) : undefined;
    if (steps !== undefined) return takeTurns(steps).then(made).catch(fail);
    return made(kind.form.wire(bytes, modRevision, allocate));
  } catch (cause) {
    return fail(cause);
  }
}

/** The entry of an event's new state, as entryOf; undefined for a deletion. */
export function currentOf<T extends KubeObject>(
  context: ResourceContext<T>,
  event: KeyValueEvent,
  allocate?: Allocate,
): StoredEntry<T> | Promise<StoredEntry<T>> | undefined {
  if (event.type === 'delete') return undefined;
  return listedEntry(context, { key: event.key, value: event.value, modRevision: event.revision }, allocate);
}

/** The change of an event, including the state before it; must be called during its delivery. */
export function changeOf<T extends KubeObject>(
  context: ResourceContext<T>,
  event: KeyValueEvent,
): Change<T> | Promise<Change<T>> {
  const key = event.key.slice(context.kind.prefix.length);
  const current = currentOf(context, event);
  const previous = event.previous && listedEntry(context, event.previous);
  if (!(current instanceof Promise) && !(previous instanceof Promise)) {
    return new Change(key, event.revision, { current, previous });
  }
  return Promise.all([current, previous]).then(
    ([now, before]) => new Change(key, event.revision, { current: now, previous: before }),
  );
}

/** A copy: a slice would retain the whole string as long as the entry lives. */
function ownText(slice: string): string {
  const bytes = Buffer.from(slice);
  return bytes.toString(bytes.length === slice.length ? 'latin1' : 'utf8');
}

function inList(error: unknown): unknown {
  if (!isStorageError(error)) return error;
  const { key, details } = error;
  if (error.storageErrorCode === 'Transform') {
    return newTransformError(key, `unable to transform key ${quote(key)}: ${details.message}`, error);
  }
  if (details.plain !== true) return error;
  // Upstream only names the key in its log.
  return newCorruptObjectError(
    key,
    new Error(`unable to decode key ${quote(key)}: ${details.message}`, { cause: error }),
  );
}
