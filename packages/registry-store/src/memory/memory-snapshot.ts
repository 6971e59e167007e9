import type { IndexRecord, LogRecord } from '../mvcc/tables.js';
import { OrderedMap } from '../ordered-map.js';

/** The newest version of a key, with its value. */
export interface MemoryRecord extends IndexRecord {
  readonly key: string;
  /** Undefined: the key is deleted. */
  readonly value: Uint8Array | undefined;
}

/** One key of a snapshot. */
export interface SnapshotEntry {
  readonly key: string;
  readonly value: Uint8Array;
  /** The revision of the commit that wrote this value. */
  readonly revision: number;
  /** Milliseconds since the epoch; 0: never. */
  readonly expiresAt: number;
}

/** The state of a whole store at one moment, without its history. It shares the values of the store. */
export interface StoreSnapshot {
  /** The newest revision of the store. */
  readonly revision: number;
  /** Milliseconds of the store's clock: times to live count from here. */
  readonly takenAt: number;
  /** In the order of keys. */
  entries(): Iterable<SnapshotEntry>;
}

/** After every key. */
const LAST = '\u{10ffff}';

/** The snapshot of a memory store, from which others are made. */
export class MemorySnapshot implements StoreSnapshot {
  readonly revision: number;
  readonly takenAt: number;
  readonly #index: OrderedMap<MemoryRecord>;
  #log: ReadonlyMap<number, LogRecord> | undefined;
  #mortal: readonly MemoryRecord[] = [];

  /** Takes over the map. */
  constructor(index: OrderedMap<MemoryRecord>, { revision, takenAt }: Pick<StoreSnapshot, 'revision' | 'takenAt'>) {
    this.#index = index;
    this.revision = revision;
    this.takenAt = takenAt;
  }

  *entries(): Iterable<SnapshotEntry> {
    for (const { key, value, revision, expiresAt } of this.#index.values('', LAST)) {
      if (value !== undefined) yield { key, value, revision, expiresAt };
    }
  }

  /** The keys as an index of a store: a copy. */
  index(): OrderedMap<MemoryRecord> {
    this.log();
    return this.#index.copy();
  }

  /** The keys with a time to live. */
  mortal(): readonly MemoryRecord[] {
    this.log();
    return this.#mortal;
  }

  /** The versions by their revisions; shared by all stores from this snapshot. */
  log(): ReadonlyMap<number, LogRecord> {
    this.#log ??= this.#prepare();
    return this.#log;
  }

  /** On first use, so that taking a snapshot does not cost the number of keys. Drops deleted keys from the index. */
  #prepare(): ReadonlyMap<number, LogRecord> {
    const log = new Map<number, LogRecord>();
    const mortal: MemoryRecord[] = [];
    for (const record of this.#index.values('', LAST)) {
      const { key, value, revision } = record;
      if (value === undefined) this.#index.delete(key);
      else log.set(revision, { key, value, previousRevision: 0 });
      if (record.expiresAt !== 0) mortal.push(record);
    }
    this.#mortal = mortal;
    return log;
  }
}

/** A snapshot of entries in any order, such as those of a file. Revisions are unique, and at most `revision`. */
export function snapshotOf(
  entries: Iterable<SnapshotEntry>,
  at: Pick<StoreSnapshot, 'revision' | 'takenAt'>,
): StoreSnapshot {
  return memorySnapshotOf(entries, at);
}

/** As `snapshotOf`. */
export function memorySnapshotOf(
  entries: Iterable<SnapshotEntry>,
  { revision, takenAt }: Pick<StoreSnapshot, 'revision' | 'takenAt'>,
): MemorySnapshot {
  const index = new OrderedMap<MemoryRecord>();
  for (const entry of entries) {
    index.set(entry.key, { ...entry, deleted: false });
  }
  return new MemorySnapshot(index, { revision, takenAt });
}
