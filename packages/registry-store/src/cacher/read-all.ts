import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import type { KeyValue, RangeRequest, RangeResult } from '../key-value-store.js';
import { entriesAhead, listedEntry, sharedEntry } from '../objects/entry-of.js';
import type { Allocate } from '../objects/forms/resource-version-splice.js';
import { accessing, type ResourceContext, resourceRange } from '../objects/resource-context.js';
import type { StoredEntry } from '../objects/stored-entry.js';
import { identityTransformer } from '../objects/transformer.js';

const FIRST_PAGE = 250;
const MAX_PAGE = 40_000;
/** Approximate size of a page: memory that is freed after the start stays with the process. */
const PAGE_BYTES = 8 * 2 ** 20;
/** Size of a page for large resources, to limit the number of pages. */
const MAX_PAGE_BYTES = 32 * 2 ** 20;
const FEW_PAGES = 16;

/** Receives all entries of a resource, in key order. */
export interface EntryReceiver<T extends KubeObject> {
  /** Allocates the memory for the bytes of the next entry. */
  readonly allocate: Allocate;
  take(entry: StoredEntry<T>): void;
}

/** Reads a whole resource at one revision, and returns that revision. Throws StorageError. */
export async function readAll<T extends KubeObject>(
  context: ResourceContext<T>,
  receiver: EntryReceiver<T>,
): Promise<number> {
  const { scan } = context.store;
  // A scan lends one value after the other, but a webhook converts many in one call.
  if (scan === undefined || context.conversion !== undefined) return await readPages(context, receiver);
  const range = resourceRange(context, '');
  // Decryption may have to wait for a key, but lent values are only valid synchronously.
  const isPlain = context.transformer === identityTransformer;
  const visit = (kv: KeyValue) => {
    const shared = isPlain ? sharedEntry(context, kv) : undefined;
    if (shared !== undefined) return receiver.take(shared);
    const kept = isPlain ? kv : { ...kv, value: Buffer.from(kv.value) };
    return receive(listedEntry(context, kept, receiver.allocate), receiver);
  };
  return await accessing(range.start, () => scan.call(context.store, range, visit));
}

/** Only the current entry is in temporary memory. */
function receive<T extends KubeObject>(
  entry: StoredEntry<T> | Promise<StoredEntry<T>>,
  receiver: EntryReceiver<T>,
): Promise<void> | undefined {
  if (entry instanceof Promise) return entry.then((ready) => receiver.take(ready));
  receiver.take(entry);
  return undefined;
}

async function readPages<T extends KubeObject>(
  context: ResourceContext<T>,
  receiver: EntryReceiver<T>,
): Promise<number> {
  const { store } = context;
  const { start, end } = resourceRange(context, '');
  const slice = new TimeSlice();
  const read = (request: Omit<RangeRequest, 'end'>): Promise<RangeResult> =>
    accessing(start, () => store.range({ ...request, end }));
  let next = read({ start, limit: FIRST_PAGE });
  for (;;) {
    const page = await next;
    const { kvs, revision } = page;
    const last = page.more ? kvs.at(-1) : undefined;
    // The store reads it while this page is processed. Its failure is reported when it is awaited.
    if (last !== undefined) next = read({ start: `${last.key}\0`, limit: nextLimit(page), revision });
    next.catch(() => {});
    const ahead = context.conversion === undefined ? undefined : await entriesAhead(context, kvs);
    for (const [i, kv] of kvs.entries()) {
      if (i % 8 === 7 && slice.over) await slice.yield();
      const busy = receive(ahead?.[i] ?? listedEntry(context, kv, receiver.allocate), receiver);
      if (busy !== undefined) await busy;
    }
    if (last === undefined) return revision;
  }
}

/** Pages grow: each costs a round trip, and etcd visits all remaining keys. */
function nextLimit({ kvs, count = 0 }: RangeResult): number {
  const average = Math.max(1, kvs.reduce((sum, { value }) => sum + value.length, 0) / kvs.length);
  const bytes = Math.min(Math.max(PAGE_BYTES, (count * average) / FEW_PAGES), MAX_PAGE_BYTES);
  return Math.min(kvs.length * 4, Math.ceil(bytes / average), MAX_PAGE);
}
