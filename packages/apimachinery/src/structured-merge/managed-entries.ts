import { writeScalar } from '../codec/stringify-json.js';
import { equalJson } from '../json/equal-json.js';
import { quote } from '../text/quote.js';
import type { DeepReadonly } from '../types/json.js';
import type { ManagedFieldsEntry } from '../types/object-meta.js';
import { EMPTY_SET, type FieldSet } from './field-set.js';
import { fieldsV1Of, parseFieldsV1 } from './fields-v1.js';
import type { Managers, VersionedSet } from './managers.js';

type Entry = DeepReadonly<ManagedFieldsEntry>;

/** What names a manager: entries that agree in all of this are one. Appliers are the same in every version. */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource: string;
}

/** Managed fields as they are worked with. */
export interface Managed {
  readonly managers: Managers;
  /** When each manager wrote last, as in the entries. */
  readonly times: ReadonlyMap<string, string>;
  /** The entries that were decoded, for what stays as it was. */
  readonly entries: ReadonlyMap<string, Entry>;
}

/** Nobody manages anything. */
export const NO_MANAGERS: Managed = { managers: new Map(), times: new Map(), entries: new Map() };

/** Managed fields that cannot be read; the message is upstream's. */
export class ManagedFieldsError extends Error {}

/**
 * The identifier of a manager: JSON, of which upstream compares and prints the text.
 *
 * Upstream: BuildManagerIdentifier in k8s.io/apimachinery/pkg/util/managedfields/internal/managedfields.go
 */
export function managerIdentifier({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  let members = '';
  if (manager !== '') members = `,"manager":${writeScalar(manager)}`;
  if (operation !== '') members += `,"operation":${writeScalar(operation)}`;
  if (apiVersion !== '' && operation !== 'Apply') members += `,"apiVersion":${writeScalar(apiVersion)}`;
  if (subresource !== '') members += `,"subresource":${writeScalar(subresource)}`;
  return `{${members.slice(1)}}`;
}

/** What an identifier says; `apiVersion` is "" for appliers. */
export function parseManagerIdentifier(identifier: string): ManagerIdentity {
  const {
    manager = '',
    operation = '',
    apiVersion = '',
    subresource = '',
  } = JSON.parse(identifier) as Partial<ManagerIdentity>;
  return { manager, operation, apiVersion, subresource };
}

interface DecodedEntry {
  readonly identifier: string;
  readonly owned: VersionedSet;
}

const decodedEntries = new WeakMap<Entry, DecodedEntry>();

/**
 * Reads managed fields. Entries that cannot change any more are read once. Throws ManagedFieldsError.
 *
 * Upstream: DecodeManagedFields in k8s.io/apimachinery/pkg/util/managedfields/internal/managedfields.go
 */
export function decodeManagedFields(entries: readonly Entry[] | undefined): Managed {
  if (entries === undefined || entries.length === 0) return NO_MANAGERS;
  const managers = new Map<string, VersionedSet>();
  const times = new Map<string, string>();
  const sources = new Map<string, Entry>();
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as Entry;
    const { identifier, owned } = decodedEntries.get(entry) ?? decodeEntry(entry, i);
    managers.set(identifier, owned);
    sources.set(identifier, entry);
    if (typeof entry.time === 'string') times.set(identifier, entry.time);
    else times.delete(identifier);
  }
  return { managers, times, entries: sources };
}

function decodeEntry(entry: Entry, index: number): DecodedEntry {
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
  const decoded = { identifier, owned: { set: decodeSet(entry), apiVersion, applied: operation === 'Apply' } };
  if (Object.isFrozen(entry)) decodedEntries.set(entry, decoded);
  return decoded;
}

function decodeSet({ fieldsV1 }: Entry) {
  if (fieldsV1 === undefined || fieldsV1 === null) return EMPTY_SET;
  try {
    return parseFieldsV1(fieldsV1);
  } catch (error) {
    throw new ManagedFieldsError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Entries with those that equal one of `known` at the same place replaced by it: what a client sends back of what it
 * read need not be read again.
 */
export function shareEntries(entries: readonly Entry[], known: readonly Entry[] | undefined): readonly Entry[] {
  if (known === undefined || entries === known) return entries;
  return entries.map((entry, i) => {
    const same = known[i];
    return same !== undefined && equalJson(entry, same) ? same : entry;
  });
}

/**
 * Managed fields as entries, in upstream's order; undefined when nobody manages anything. An entry that says what it
 * said when it was decoded is the very same.
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

/** As nearly always: sorting works on copies. */
function isInOrder(entries: readonly Entry[]): boolean {
  for (let i = 1; i < entries.length; i++)
    if (compareEntries(entries[i - 1] as Entry, entries[i] as Entry) > 0) return false;
  return true;
}

function encodeEntry(
  identifier: string,
  owned: VersionedSet,
  { time, source }: { readonly time: string | undefined; readonly source: Entry | undefined },
): ManagedFieldsEntry {
  const decoded = source && decodedEntries.get(source);
  const isSameSet = decoded?.owned.set.equals(owned.set) ?? false;
  if (isSameSet && source?.apiVersion === owned.apiVersion && (source.time ?? undefined) === time) {
    return source as ManagedFieldsEntry;
  }
  const identity = parseManagerIdentifier(identifier);
  const set = isSameSet && decoded ? decoded.owned.set : owned.set;
  const kept = { ...owned, set };
  const entry = newEntry(owned.applied ? { ...identity, operation: 'Apply' } : identity, kept, time);
  decodedEntries.set(entry, { identifier, owned: kept });
  return entry;
}

/**
 * The only entry of an object that is being created: all that was sent belongs to who sent it. Undefined when nothing was.
 */
export function creatorEntry(
  { manager, apiVersion, subresource }: Omit<ManagerIdentity, 'operation'>,
  set: FieldSet,
  time: string,
): ManagedFieldsEntry | undefined {
  if (set.empty) return undefined;
  const identity = { manager, operation: 'Update', apiVersion, subresource };
  return newEntry(identity, { set, apiVersion, applied: false }, time);
}

/** Frozen; members in upstream's order. */
function newEntry(
  { manager, operation, subresource }: ManagerIdentity,
  { set, apiVersion }: VersionedSet,
  time: string | undefined,
): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {};
  if (manager !== '') entry.manager = manager;
  entry.operation = operation;
  entry.apiVersion = apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = fieldsV1Of(set);
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
