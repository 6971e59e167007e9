import type { KubeObject } from '@apiserver/apimachinery';
import type { StorageListOptions, StoredList } from '@apiserver/apiserver-contracts';
import { storageErrorOf } from '../interpret-error.js';
import { isKeyValueError, type KeyValueError } from '../key-value-error.js';
import type { RangeResult } from '../key-value-store.js';
import { TimeSlice } from '../mvcc/yielding.js';
import { newExpiredError, newTooLargeResourceVersionError } from '../storage-error.js';
import { encodeContinueToken } from './continue-token.js';
import { listedEntry } from './entry-of.js';
import { folderRange, type ObjectFolder } from './object-folder.js';
import type { ListPlan } from './requested-version.js';
import { type Selection, selectionOf } from './selection.js';
import type { StoredEntry } from './stored-entry.js';

const EXPIRED_LIST = 'The resourceVersion for the provided list is too old.';
const EXPIRED_CONTINUE =
  'The provided continue parameter is too old to display a consistent list result. ' +
  'You can start a new list without the continue parameter, or use the continue token in this response to retrieve ' +
  'the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that ' +
  'were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** Pages read at once; it doubles while a selector drops most of what was read. Upstream: etcd3 maxLimit */
const MAX_PAGE = 10_000;
const FIRST_PAGE = 500;

/**
 * Lists from the key-value store, as of the planned revision. Throws Expired, TooLargeResourceVersion.
 * Upstream: k8s.io/apiserver/pkg/storage/etcd3/store.go GetList
 */
export async function listFromStore<T extends KubeObject>(
  folder: ObjectFolder<T>,
  prefix: string,
  options: StorageListOptions,
  plan: ListPlan,
): Promise<StoredList<T>> {
  const selection = selectionOf(options, folder.kind);
  const range = folderRange(folder, prefix);
  const items: StoredEntry<T>[] = [];
  let pageSize = plan.limit === 0 ? FIRST_PAGE : Math.min(plan.limit, MAX_PAGE);
  let revision = plan.kind === 'exact' ? plan.revision : undefined;
  let start = range.start + plan.startKey;
  let fetched = 0;
  let evaluated = 0;
  for (;;) {
    const request = { start, end: range.end, limit: pageSize, count: selection.empty && plan.limit > 0 };
    const page = await readPage(folder, { ...request, ...(revision === undefined ? {} : { revision }) }, plan);
    if (plan.kind === 'notOlderThan' && page.revision < plan.revision) {
      throw tooLarge(range.start, plan.revision, page.revision);
    }
    revision = page.revision;
    const taken = await take(folder, page, items, { selection, limit: plan.limit });
    fetched += page.kvs.length;
    evaluated += taken;
    const last = page.kvs[taken - 1];
    const more = page.more || taken < page.kvs.length;
    const full = plan.limit > 0 && items.length >= plan.limit;
    if (last === undefined || !more || full) {
      folder.metrics?.listed(fetched, evaluated, items.length);
      const rest = page.count === undefined || !selection.empty ? undefined : page.count - taken;
      return toList(items, revision, more && last ? { lastKey: last.key.slice(range.start.length), rest } : undefined);
    }
    start = `${last.key}\0`;
    pageSize = Math.min(pageSize * 2, MAX_PAGE);
  }
}

/** A list; with `next` there is more behind `lastKey`, `rest` objects if that is known. */
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

/** A version that the store has not reached; upstream names no time to come back here. */
function tooLarge(key: string, minimum: number, current: number): Error {
  return newTooLargeResourceVersionError(key, { minimum, current, retryAfterSeconds: 0 });
}

/** Appends the matching entries of a page until the limit; answers how many of the page were looked at. */
async function take<T extends KubeObject>(
  folder: ObjectFolder<T>,
  page: RangeResult,
  items: StoredEntry<T>[],
  { selection, limit }: { selection: Selection; limit: number },
): Promise<number> {
  let looked = 0;
  const slice = new TimeSlice();
  for (const kv of page.kvs) {
    if (limit > 0 && items.length >= limit) break;
    looked++;
    if (looked % 8 === 0 && slice.over) await slice.yield();
    const found = listedEntry(folder, kv);
    const entry = found instanceof Promise ? await found : found;
    if (selection.empty || selection.matches(entry)) items.push(entry);
  }
  return looked;
}

async function readPage<T extends KubeObject>(
  folder: ObjectFolder<T>,
  request: Parameters<ObjectFolder<T>['store']['range']>[0],
  plan: ListPlan,
): Promise<RangeResult> {
  try {
    return await folder.store.range(request);
  } catch (error) {
    throw isKeyValueError(error) ? listError(error, request.start, folder.kind.prefix, plan) : error;
  }
}

function listError(error: KeyValueError, start: string, prefix: string, plan: ListPlan): Error {
  if (error.keyValueErrorCode === 'FutureRevision') return tooLarge(prefix, plan.revision, error.revision);
  if (error.keyValueErrorCode !== 'Compacted') return storageErrorOf(error, prefix);
  if (!plan.continuing) return newExpiredError(prefix, EXPIRED_LIST);
  return newExpiredError(start, EXPIRED_CONTINUE, encodeContinueToken({ startKey: plan.startKey, revision: -1 }));
}
