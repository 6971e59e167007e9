import { messageOf } from '../../errors/message-of.js';
import { equalJson } from '../../json/equal-json.js';
import { quote } from '../../text/quote.js';
import type { DeepReadonly, JsonObject } from '../../types/json.js';
import type { ManagedFieldsEntry } from '../../types/object-meta.js';
import { EMPTY_SET, type FieldSet } from '../field-set/field-set.js';
import { atOnceSteps, fieldsV1Of, writeFieldsV1InSteps } from '../field-set/fields-v1.js';
import { RecentSets } from '../field-set/recent-sets.js';
import { type ManagerIdentity, managerIdentifier, parseManagerIdentifier } from './manager-identifier.js';
import type { Managers, VersionedSet } from './managers.js';

type Entry = DeepReadonly<ManagedFieldsEntry>;

/** Decoded managed fields. */
export interface Managed {
  readonly managers: Managers;
  /** The time of each manager's last write, as in the entries. */
  readonly times: ReadonlyMap<string, string>;
  /** The entries that were decoded, for those that did not change. */
  readonly entries: ReadonlyMap<string, DecodedEntry>;
}

/** An entry with its decoded content. */
interface DecodedEntry {
  readonly entry: Entry;
  readonly identifier: string;
  readonly owned: VersionedSet;
  /** True if this entry, or the one that it replaces, was read before: it is then likely to be read again. */
  readonly isReadAgain: boolean;
}

/** No managers. */
export const NO_MANAGERS: Managed = { managers: new Map(), times: new Map(), entries: new Map() };

/** Thrown for unreadable managed fields; the message is upstream's. */
export class ManagedFieldsError extends Error {}

/**
 * The immutable entries that were read: null after the first read, decoded from the second on. Most are read once and
 * dropped, but V8's minor collections would copy their WeakMap values although they are dead.
 */
const readEntries = new WeakMap<Entry, DecodedEntry | null>();

const recentSets = new RecentSets();

/**
 * Decodes managed fields. Immutable entries are decoded at most twice. Throws ManagedFieldsError.
 *
 * Upstream: DecodeManagedFields in k8s.io/apimachinery/pkg/util/managedfields/internal/managedfields.go
 */
export function decodeManagedFields(entries: readonly Entry[] | undefined): Managed {
  if (entries === undefined || entries.length === 0) return NO_MANAGERS;
  const managers = new Map<string, VersionedSet>();
  const times = new Map<string, string>();
  const sources = new Map<string, DecodedEntry>();
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as Entry;
    const decoded = readEntry(entry, i);
    const { identifier, owned } = decoded;
    managers.set(identifier, owned);
    sources.set(identifier, decoded);
    if (typeof entry.time === 'string') times.set(identifier, entry.time);
    else times.delete(identifier);
  }
  return { managers, times, entries: sources };
}

function readEntry(entry: Entry, index: number): DecodedEntry {
  const known = readEntries.get(entry);
  if (known) return known;
  const isReadAgain = known === null;
  const { identifier, owned } = decodeEntry(entry, index);
  const decoded: DecodedEntry = { entry, identifier, owned, isReadAgain };
  if (Object.isFrozen(entry)) readEntries.set(entry, isReadAgain ? decoded : null);
  return decoded;
}

function decodeEntry(entry: Entry, index: number): Pick<DecodedEntry, 'identifier' | 'owned'> {
  const { manager = '', operation = '', apiVersion = '', fieldsType = '', subresource = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update') {
    throw new ManagedFieldsError('operation must be `Apply` or `Update`');
  }
  if (apiVersion === '') throw new ManagedFieldsError('apiVersion must not be empty');
  if (fieldsType === '') throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1') {
    throw new ManagedFieldsError(`invalid fieldsType ${quote(fieldsType)} in managed fields entry ${index}`);
  }
  const identifier = managerIdentifier({ manager, operation, apiVersion, subresource });
  return { identifier, owned: { set: decodeSet(entry), apiVersion, applied: operation === 'Apply' } };
}

function decodeSet({ fieldsV1 }: Entry) {
  if (fieldsV1 === undefined || fieldsV1 === null) return EMPTY_SET;
  try {
    return recentSets.of(fieldsV1);
  } catch (error) {
    throw new ManagedFieldsError(messageOf(error));
  }
}

/**
 * Replaces entries that equal one of `known` at the same index by it: entries that a client read and sends back need no
 * second decoding.
 */
export function shareEntries(entries: readonly Entry[], known: readonly Entry[] | undefined): readonly Entry[] {
  if (known === undefined || entries === known) return entries;
  return entries.map((entry, i) => {
    const same = known[i];
    return same !== undefined && equalJson(entry, same) ? same : entry;
  });
}

/**
 * Encodes managed fields as entries, in upstream's order; undefined without managers. An entry whose content did not
 * change is returned itself.
 *
 * Upstream: encodeManagedFields in k8s.io/apimachinery/pkg/util/managedfields/internal/managedfields.go
 */
export function encodeManagedFields({ managers, times, entries }: Managed): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  const encoded: ManagedFieldsEntry[] = [];
  managers.forEach((owned, identifier) => {
    encoded.push(encodeEntry(identifier, owned, { time: times.get(identifier), source: entries.get(identifier) }));
  });
  return isInOrder(encoded) ? encoded : encoded.sort(compareEntries);
}

/** Managed fields whose managers the encoder may remove. */
export interface ConsumableManaged extends Managed {
  readonly managers: Map<string, VersionedSet>;
}

/**
 * The same in steps, for large sets. Removes all managers: a set and its entry each take as much memory as the object,
 * and are not needed at the same time.
 */
export function* encodeManagedFieldsInSteps(
  managed: ConsumableManaged,
): Generator<void, ManagedFieldsEntry[] | undefined> {
  if (managed.managers.size === 0) return undefined;
  const encoded: ManagedFieldsEntry[] = [];
  for (let steps = takeEntry(managed); steps !== undefined; steps = takeEntry(managed)) {
    yield;
    encoded.push(yield* steps);
  }
  return isInOrder(encoded) ? encoded : encoded.sort(compareEntries);
}

/** The steps of the next entry, which do not refer to its set. Undefined after the last one. */
function takeEntry({ managers, times, entries }: ConsumableManaged): Generator<void, ManagedFieldsEntry> | undefined {
  const [taken] = managers;
  if (taken === undefined) return undefined;
  const [identifier, owned] = taken;
  managers.delete(identifier);
  const time = times.get(identifier);
  const source = entries.get(identifier);
  if (source !== undefined && isSameSet(owned, source) && Object.isFrozen(source.entry.fieldsV1)) {
    return atOnceSteps(encodeEntry(identifier, owned, { time, source }));
  }
  const identity = identityAfter(identifier, owned, source);
  const { apiVersion, set } = owned;
  const fields = writeFieldsV1InSteps(set);
  return entrySteps(fields, (fieldsV1) => newEntry(identity, apiVersion, fieldsV1, time));
}

function* entrySteps(
  fields: Generator<void, JsonObject>,
  make: (fieldsV1: JsonObject) => ManagedFieldsEntry,
): Generator<void, ManagedFieldsEntry> {
  const entry = make(yield* fields);
  readEntries.set(entry, null);
  return entry;
}

/**
 * The same managed fields without the decoded sets of entries whose set changed. `encodeManagedFields` returns the same
 * for both. Large sets take more memory than their objects.
 */
export function dropReplacedSets(managed: Managed): ConsumableManaged {
  const entries = new Map<string, DecodedEntry>();
  for (const [identifier, source] of managed.entries) {
    const { set } = source.owned;
    const isKept = managed.managers.get(identifier)?.set.equals(set) ?? false;
    entries.set(identifier, isKept ? source : { ...source, owned: { ...source.owned, set: EMPTY_SET } });
  }
  return { ...managed, managers: new Map(managed.managers), entries };
}

/** Nearly always true; sorting would copy. */
function isInOrder(entries: readonly Entry[]): boolean {
  for (let i = 1; i < entries.length; i++)
    if (compareEntries(entries[i - 1] as Entry, entries[i] as Entry) > 0) return false;
  return true;
}

function encodeEntry(
  identifier: string,
  owned: VersionedSet,
  { time, source }: { readonly time: string | undefined; readonly source: DecodedEntry | undefined },
): ManagedFieldsEntry {
  const isSame = source !== undefined && isSameSet(owned, source);
  if (isSame && isAsItWas(source.entry, owned, time)) return source.entry as ManagedFieldsEntry;
  const kept = isSame ? keepWritten(owned, source) : owned;
  const identity = identityAfter(identifier, owned, source);
  const entry = newEntry(identity, kept.apiVersion, fieldsV1Of(kept.set), time);
  const isReadAgain = source?.isReadAgain ?? false;
  readEntries.set(entry, isReadAgain ? { entry, identifier, owned: kept, isReadAgain } : null);
  return entry;
}

function isSameSet({ set }: VersionedSet, { owned }: DecodedEntry): boolean {
  return owned.set.equals(set);
}

function identityAfter(
  identifier: string,
  { applied }: VersionedSet,
  source: DecodedEntry | undefined,
): ManagerIdentity {
  const identity = source === undefined ? parseManagerIdentifier(identifier) : identityOf(source.entry);
  return applied ? { ...identity, operation: 'Apply' } : identity;
}

/**
 * Reports whether an entry with the right set can be reused. A mutable one is the client's, and may be encoded
 * differently.
 */
function isAsItWas(entry: Entry, { apiVersion }: VersionedSet, time: string | undefined): boolean {
  return entry.apiVersion === apiVersion && (entry.time ?? undefined) === time && Object.isFrozen(entry);
}

/** The set as it was decoded, with its encoded form if that is immutable. */
function keepWritten(owned: VersionedSet, { entry, owned: { set } }: DecodedEntry): VersionedSet {
  if (entry.fieldsV1 && Object.isFrozen(entry.fieldsV1)) set.written ??= entry.fieldsV1 as JsonObject;
  return set === owned.set ? owned : { ...owned, set };
}

function identityOf({ manager = '', operation = '', apiVersion = '', subresource = '' }: Entry): ManagerIdentity {
  return { manager, operation, apiVersion, subresource };
}

/** The only entry of a new object: its creator owns all fields that were sent. Undefined if there are none. */
export function creatorEntry(
  { manager, apiVersion, subresource }: Omit<ManagerIdentity, 'operation'>,
  set: FieldSet,
  time: string,
): ManagedFieldsEntry | undefined {
  if (set.empty) return undefined;
  const identity = { manager, operation: 'Update', apiVersion, subresource };
  return newEntry(identity, apiVersion, fieldsV1Of(set), time);
}

/** Frozen; members in upstream's order. */
function newEntry(
  { manager, operation, subresource }: ManagerIdentity,
  apiVersion: string,
  fieldsV1: JsonObject,
  time: string | undefined,
): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {};
  if (manager !== '') entry.manager = manager;
  entry.operation = operation;
  entry.apiVersion = apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = fieldsV1;
  if (subresource !== '') entry.subresource = subresource;
  return Object.freeze(entry);
}

function compareEntries(a: Entry, b: Entry): number {
  return (
    compareTexts(a.operation, b.operation) ||
    unixSeconds(a) - unixSeconds(b) ||
    compareTexts(a.manager, b.manager) ||
    compareTexts(a.apiVersion, b.apiVersion) ||
    compareTexts(a.subresource, b.subresource)
  );
}

function compareTexts(a = '', b = ''): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function unixSeconds({ time }: Entry): number {
  return typeof time === 'string' ? Date.parse(time) / 1000 : 0;
}
