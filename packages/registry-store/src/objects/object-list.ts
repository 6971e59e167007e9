import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import {
  currentSpan,
  inSpan,
  type StorageListOptions,
  type StoredList,
  workObserver,
} from '@apiserver/apiserver-contracts';
import { storageErrorOf } from '../interpret-error.js';
import { runsOf } from '../kept/list-runs.js';
import { isKeyValueError, type KeyValueError } from '../key-value-error.js';
import type { KeyValue, RangeResult } from '../key-value-store.js';
import { newExpiredError, newTooLargeResourceVersionError } from '../storage-error.js';
import { encodeContinueToken } from './continue-token.js';
import { readCurrentState } from './current-state.js';
import { listedEntry } from './entry-of.js';
import type { ListPlan } from './requested-version.js';
import { type ResourceContext, resourceRange } from './resource-context.js';
import { onlyName, type Selection, selectionOf } from './selection.js';
import { type EntryPage, StorePages } from './store-pages.js';
import type { StoredEntry } from './stored-entry.js';
import { UnreadableObjects } from './unreadable-objects.js';

/** The message of a 410 for a list at a version that is compacted. */
export const EXPIRED_LIST = 'The resourceVersion for the provided list is too old.';
/** The message of a 410 for a page of a list whose version is compacted. */
export const EXPIRED_CONTINUE =
  'The provided continue parameter is too old to display a consistent list result. ' +
  'You can start a new list without the continue parameter, or use the continue token in this response to retrieve ' +
  'the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that ' +
  'were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** Upstream: etcd3 maxLimit */
const MAX_PAGE = 10_000;
const FIRST_PAGE = 500;

/**
 * Lists from the key-value store, at the planned revision. Throws Expired, TooLargeResourceVersion.
 * Upstream: k8s.io/apiserver/pkg/storage/etcd3/store.go GetList
 */
export function listFromStore<T extends KubeObject>(
  context: ResourceContext<T>,
  prefix: string,
  options: StorageListOptions,
  plan: ListPlan,
): Promise<StoredList<T>> {
  if (currentSpan() === undefined) return list(context, prefix, options, plan);
  const isRecursive = onlyName(context.kind, prefix, options) === undefined;
  const attributes = (auditId: string) => ({
    'audit-id': auditId,
    key: `/${context.kind.keyPrefix}/${prefix}`,
    resourceVersion: options.resourceVersion ?? '',
    resourceVersionMatch: options.match ?? '',
    limit: options.limit ?? 0,
    continue: options.continue ?? '',
  });
  const name = `List(recursive=${isRecursive}) etcd3`;
  return inSpan({ name, attributes }, () => list(context, prefix, options, plan));
}

async function list<T extends KubeObject>(
  context: ResourceContext<T>,
  prefix: string,
  options: StorageListOptions,
  plan: ListPlan,
): Promise<StoredList<T>> {
  const listing = { selection: selectionOf(options, context.kind), plan };
  const name = onlyName(context.kind, prefix, options);
  if (name !== undefined) return await listOne(context, prefix + name, listing);
  return (await listChanged(context, prefix, listing)) ?? (await listPages(context, prefix, listing));
}

/** The wanted objects, and the revision and place at which the list begins. */
interface Listing {
  readonly selection: Selection;
  readonly plan: ListPlan;
}

/**
 * A list whose items are divided into runs when an encoder asks for them. They are neighbours: no object between two of
 * them is left out.
 */
export function withRuns<T extends KubeObject>(
  list: StoredList<T>,
  items: readonly StoredEntry<T>[],
  { kind: { formMemory } }: ResourceContext<T>,
): StoredList<T> {
  return formMemory === undefined ? list : { ...list, runs: () => runsOf(items, formMemory.bound) };
}

/** The same for a list that a store has served. Most of its items may be those of a cache beside it. */
function withKnownRuns<T extends KubeObject>(
  list: StoredList<T>,
  items: readonly StoredEntry<T>[],
  { context, selection }: { readonly context: ResourceContext<T>; readonly selection: Selection },
): StoredList<T> {
  return context.known !== undefined && selection.empty ? withRuns(list, items, context) : list;
}

/** Lists page by page. */
async function listPages<T extends KubeObject>(
  context: ResourceContext<T>,
  prefix: string,
  { selection, plan }: Listing,
): Promise<StoredList<T>> {
  const range = resourceRange(context, prefix);
  const items: StoredEntry<T>[] = [];
  const listed = { context, selection };
  const unreadable = unreadableOf(context);
  const pages = new StorePages(context);
  const count = selection.countsRest && plan.limit > 0;
  let revision = plan.kind === 'exact' ? plan.revision : undefined;
  let fetched = 0;
  let evaluated = 0;
  const read = (start: string, limit: number): Promise<EntryPage<T>> => {
    const at = revision === undefined ? {} : { revision };
    return readPage(context, plan, start, () => pages.read({ start, end: range.end, limit, count, ...at }));
  };
  let pageSize = plan.limit === 0 ? FIRST_PAGE : Math.min(plan.limit, MAX_PAGE);
  let next = read(range.start + plan.startKey, pageSize);
  for (;;) {
    const page = await next;
    if (plan.kind === 'notOlderThan' && page.revision < plan.revision) {
      throw tooLarge(range.start, plan.revision, page.revision);
    }
    revision = page.revision;
    pageSize = pages.sizeAfter(pageSize, plan.limit > 0);
    // Without a limit the start of the next page is known; the store reads it while this one is processed.
    const end = page.kvs.at(-1);
    const isAhead = plan.limit === 0 && page.more && end !== undefined;
    if (isAhead) next = ahead(read(`${end.key}\0`, pageSize));
    const taken = await take(page, items, { selection, limit: plan.limit, unreadable });
    fetched += page.kvs.length;
    evaluated += taken;
    const last = page.kvs[taken - 1];
    const more = page.more || taken < page.kvs.length;
    const full = plan.limit > 0 && items.length >= plan.limit;
    if (last === undefined || !more || full) {
      unreadable?.check();
      context.metrics?.listed(fetched, evaluated, items.length);
      if (!more || last === undefined) return withKnownRuns(toList(items, revision, undefined), items, listed);
      const lastKey = last.key.slice(range.start.length);
      const list = toList(items, revision, { lastKey, rest: restAfter(page, taken, { selection, plan }) });
      return withKnownRuns(list, items, listed);
    }
    if (!isAhead) next = read(`${last.key}\0`, pageSize);
  }
}

/**
 * The number of objects after the last one of a list; undefined if it is unknown. Etcd counts unasked. With shards the
 * number is wrong, as upstream's: it counts what they exclude.
 */
function restAfter({ count }: RangeResult, taken: number, { selection, plan }: Listing): number | undefined {
  if (count === undefined || !selection.countsRest) return undefined;
  return count - (selection.empty ? taken : plan.limit);
}

/** A list restricted to one name reads only that object. */
async function listOne<T extends KubeObject>(
  context: ResourceContext<T>,
  key: string,
  { selection, plan }: Listing,
): Promise<StoredList<T>> {
  const fullKey = context.kind.prefix + key;
  const at = plan.kind === 'exact' ? { revision: plan.revision } : {};
  const { kv, revision } = await readPage(context, plan, fullKey, () => context.store.get(fullKey, at));
  if (plan.kind === 'notOlderThan' && revision < plan.revision) throw tooLarge(fullKey, plan.revision, revision);
  const found = kv === undefined ? [] : await onlyEntry(context, kv);
  const items = found.filter((entry) => selection.matches(entry));
  context.metrics?.listed(found.length, found.length, items.length);
  return toList(items, revision, undefined);
}

async function onlyEntry<T extends KubeObject>(
  context: ResourceContext<T>,
  kv: KeyValue,
): Promise<readonly StoredEntry<T>[]> {
  try {
    return [await listedEntry(context, kv)];
  } catch (error) {
    const unreadable = unreadableOf(context);
    if (unreadable === undefined) throw error;
    unreadable.add(error, kv);
    unreadable.check();
    return [];
  }
}

/** Undefined: a list fails at the first unreadable object. */
function unreadableOf<T extends KubeObject>({
  kind,
  unsafeDeletion,
}: ResourceContext<T>): UnreadableObjects | undefined {
  return unsafeDeletion === true ? new UnreadableObjects(kind.groupResource) : undefined;
}

/** Lists everything by the changes since a cache's state. Undefined: a full read is needed. */
async function listChanged<T extends KubeObject>(
  context: ResourceContext<T>,
  prefix: string,
  { selection, plan }: Listing,
): Promise<StoredList<T> | undefined> {
  if (plan.kind === 'exact' || plan.limit > 0 || plan.startKey !== '') return undefined;
  const { start } = resourceRange(context, prefix);
  const state = await readPage(context, plan, start, () => readCurrentState(context, prefix));
  if (state === undefined) return undefined;
  const { entries, revision } = state;
  if (revision < plan.revision) throw tooLarge(start, plan.revision, revision);
  const items = selection.empty ? entries : await matching(entries, selection);
  context.metrics?.listed(entries.length, entries.length, items.length);
  return withKnownRuns(toList(items, revision, undefined), items, { context, selection });
}

async function matching<T extends KubeObject>(
  entries: readonly StoredEntry<T>[],
  selection: Selection,
): Promise<readonly StoredEntry<T>[]> {
  const slice = new TimeSlice();
  const items: StoredEntry<T>[] = [];
  for (const [looked, entry] of entries.entries()) {
    if (slice.overAt(looked, 8, entry.byteLength)) await slice.yield();
    if (selection.matches(entry)) items.push(entry);
  }
  return items;
}

/** Its failure is reported when it is awaited. */
function ahead<R>(work: Promise<R>): Promise<R> {
  work.catch(() => {});
  return work;
}

/** A list; with `next` there is more after `lastKey`, `rest` objects if known. */
export function toList<T extends KubeObject>(
  items: readonly StoredEntry<T>[],
  revision: number,
  next: { readonly lastKey: string; readonly rest: number | undefined } | undefined,
): StoredList<T> {
  const base = { items, resourceVersion: String(revision) };
  if (next === undefined) return base;
  const token = encodeContinueToken({ startKey: `${next.lastKey}\0`, revision });
  return { ...base, continue: token, ...(next.rest === undefined ? {} : { remainingItemCount: next.rest }) };
}

/** The error of a version that the store has not reached; upstream suggests no delay here. */
function tooLarge(key: string, minimum: number, current: number): Error {
  return newTooLargeResourceVersionError(key, { minimum, current, retryAfterSeconds: 0 });
}

interface Taking {
  readonly selection: Selection;
  readonly limit: number;
  readonly unreadable: UnreadableObjects | undefined;
}

/** Appends the matching entries of a page until the limit; returns how many of the page were visited. */
async function take<T extends KubeObject>(
  page: EntryPage<T>,
  items: StoredEntry<T>[],
  { selection, limit, unreadable }: Taking,
): Promise<number> {
  const slice = new TimeSlice();
  const audit = workObserver()?.audit;
  for (let looked = 0; looked < page.kvs.length; looked++) {
    if (limit > 0 && items.length >= limit) return looked;
    if (slice.overAt(looked, 8, page.kvs[looked]?.value.length ?? 0)) await slice.yield();
    let entry: StoredEntry<T>;
    try {
      const begun = audit && performance.now();
      const found = page.entry(looked);
      entry = found instanceof Promise ? await found : found;
      if (begun !== undefined) audit?.spend('decode-response-object', performance.now() - begun);
    } catch (error) {
      if (unreadable === undefined) throw error;
      unreadable.add(error, page.kvs[looked] as KeyValue);
      continue;
    }
    if (selection.empty || selection.matches(entry)) items.push(entry);
  }
  return page.kvs.length;
}

async function readPage<T extends KubeObject, R>(
  context: ResourceContext<T>,
  plan: ListPlan,
  start: string,
  read: () => Promise<R>,
): Promise<R> {
  try {
    return await read();
  } catch (error) {
    throw isKeyValueError(error) ? listError(error, start, context.kind.prefix, plan) : error;
  }
}

function listError(error: KeyValueError, start: string, prefix: string, plan: ListPlan): Error {
  if (error.keyValueErrorCode === 'FutureRevision') return tooLarge(prefix, plan.revision, error.revision);
  if (error.keyValueErrorCode !== 'Compacted') return storageErrorOf(error, prefix);
  if (!plan.continuing) return newExpiredError(prefix, EXPIRED_LIST);
  return newExpiredError(start, EXPIRED_CONTINUE, encodeContinueToken({ startKey: plan.startKey, revision: -1 }));
}
