import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
import { lessFor } from '../key-order.js';
import type { ChangedResult, KeyRange, KeyValue } from '../key-value-store.js';
import { listedEntry } from './entry-of.js';
import { type ResourceContext, type ResourceState, resourceRange } from './resource-context.js';
import { StorePages } from './store-pages.js';
import type { StoredEntry } from './stored-entry.js';

/** Bounds of one request. */
interface PieceBounds {
  /** Entries of a piece: etcd keeps their values in memory while it looks for changed ones. */
  readonly entries: number;
  /** If more of a piece has changed, it is read completely. */
  readonly changes: number;
}

const BOUNDS: PieceBounds = { entries: 10_000, changes: 1000 };
/** For complete reads: etcd visits all remaining keys for each page. */
const PAGE = 10_000;

/** A part of the known state: a range of indices, and the range of their keys. */
interface Piece extends KeyRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The newest state of a resource, from the state that `context.state` knows and the store's later changes, piece by
 * piece at one revision. A cache's freshness is not trusted: a key that was not written after the known revision
 * existed then and is unchanged. Anything missing was deleted, and the store's count tells whether anything is.
 * Undefined if nothing is known, or the store has lost its history. Rejects with the store's error.
 */
export async function readCurrentState<T extends KubeObject>(
  context: ResourceContext<T>,
  prefix: string,
  bounds = BOUNDS,
): Promise<ResourceState<T> | undefined> {
  const ask = context.store.rangeChanged?.bind(context.store);
  const known = ask && context.state?.(prefix);
  if (ask === undefined || known === undefined) return undefined;
  const result = new ChangedEntries(known.entries);
  let revision: number | undefined;
  const keyAt = (index: number): string => context.kind.prefix + (known.entries[index] as StoredEntry<T>).key;
  const whole = { ...resourceRange(context, prefix), keyAt };
  for (const piece of piecesOf(known.entries.length, bounds.entries, whole)) {
    const { start, end, from, to } = piece;
    const at = revision === undefined ? {} : { revision };
    const changed = await ask({ start, end, after: known.revision, limit: bounds.changes, ...at });
    if (changed.revision < known.revision) return undefined;
    revision = changed.revision;
    const isSame = changed.kvs.length === 0 && changed.count === to - from;
    result.take(from, to, isSame ? undefined : await withChanges(context, piece, { known: known.entries, changed }));
  }
  return { entries: result.entries, revision: revision ?? known.revision };
}

/** Entries, parts of which may be replaced: they are copied on the first replacement. */
class ChangedEntries<T extends KubeObject> {
  readonly #known: readonly StoredEntry<T>[];
  #copy: StoredEntry<T>[] | undefined;

  constructor(known: readonly StoredEntry<T>[]) {
    this.#known = known;
  }

  get entries(): readonly StoredEntry<T>[] {
    return this.#copy ?? this.#known;
  }

  /** Parts come in order; `others` replace those from one index to another. */
  take(from: number, to: number, others: readonly StoredEntry<T>[] | undefined): void {
    if (others !== undefined) this.#copy ??= this.#known.slice(0, from);
    if (this.#copy === undefined) return;
    if (others !== undefined) for (const entry of others) this.#copy.push(entry);
    else for (let at = from; at < to; at++) this.#copy.push(this.#known[at] as StoredEntry<T>);
  }
}

/** At least one: the known state may be empty. */
function* piecesOf(
  count: number,
  size: number,
  { start, end, keyAt }: KeyRange & { readonly keyAt: (index: number) => string },
): Generator<Piece> {
  for (let from = 0; from === 0 || from < count; from += size) {
    const to = Math.min(from + size, count);
    yield { start: from === 0 ? start : keyAt(from), end: to < count ? keyAt(to) : end, from, to };
  }
}

async function withChanges<T extends KubeObject>(
  context: ResourceContext<T>,
  { from, to, ...range }: Piece,
  { known, changed }: { readonly known: readonly StoredEntry<T>[]; readonly changed: ChangedResult },
): Promise<readonly StoredEntry<T>[]> {
  const merged = changed.more ? undefined : await merge(context, known.slice(from, to), changed.kvs);
  return merged?.length === changed.count ? merged : await readWhole(context, range, changed.revision);
}

/** Merges changed entries into a piece. */
async function merge<T extends KubeObject>(
  context: ResourceContext<T>,
  entries: readonly StoredEntry<T>[],
  changed: readonly KeyValue[],
): Promise<readonly StoredEntry<T>[]> {
  if (changed.length === 0) return entries;
  const merged: StoredEntry<T>[] = [];
  const slice = new TimeSlice();
  let at = 0;
  for (const kv of changed) {
    const entry = await listedEntry(context, kv);
    const less = lessFor(entry.key);
    while (at < entries.length && less((entries[at] as StoredEntry<T>).key, entry.key)) {
      merged.push(entries[at++] as StoredEntry<T>);
    }
    if (entries[at]?.key === entry.key) at++;
    merged.push(entry);
    if (slice.over) await slice.yield();
  }
  while (at < entries.length) merged.push(entries[at++] as StoredEntry<T>);
  return merged;
}

async function readWhole<T extends KubeObject>(
  context: ResourceContext<T>,
  { start, end }: KeyRange,
  revision: number,
): Promise<readonly StoredEntry<T>[]> {
  const entries: StoredEntry<T>[] = [];
  const pages = new StorePages(context);
  const slice = new TimeSlice();
  for (let from = start; ; ) {
    const page = await pages.read({ start: from, end, limit: PAGE, revision });
    for (let index = 0; index < page.kvs.length; index++) {
      if (slice.overAt(index, 8, page.kvs[index]?.value.length ?? 0)) await slice.yield();
      const entry = page.entry(index);
      entries.push(entry instanceof Promise ? await entry : entry);
    }
    const last = page.kvs.at(-1);
    if (!page.more || last === undefined) return entries;
    from = `${last.key}\0`;
  }
}
