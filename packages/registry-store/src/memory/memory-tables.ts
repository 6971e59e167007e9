import type { KeyValue, RestoredKey } from '../key-value-store.js';
import type { Replacement } from '../mvcc/embedded-store.js';
import type { ExpiryRecord, IndexRecord, LogRecord, MetaRecord, MvccTables, TableWrites } from '../mvcc/tables.js';
import { OrderedMap } from '../ordered-map.js';
import { type MemoryRecord, MemorySnapshot } from './memory-snapshot.js';
import { ValueMemory } from './value-memory.js';

/** After every key. */
const LAST = '\u{10ffff}';

const NO_LOG: ReadonlyMap<number, LogRecord> = new Map();

/** Tables that live as long as the process. */
export class MemoryTables implements MvccTables {
  #index = new OrderedMap<MemoryRecord>();
  #log = new Map<number, LogRecord>();
  /** Versions of the snapshot that the tables began with; shared. Compaction leaves them. */
  #base = NO_LOG;
  #expiries = new OrderedMap<ExpiryRecord>();
  #meta: MetaRecord | undefined;
  readonly #memory = new ValueMemory();

  readMeta(): MetaRecord | undefined {
    return this.#meta;
  }

  readIndex(key: string): IndexRecord | undefined {
    return this.#index.get(key);
  }

  scanIndex(start: string, end: string, limit: number): readonly (IndexRecord & { readonly key: string })[] {
    return this.#index.values(start, end, limit);
  }

  readLog(revision: number): LogRecord | undefined {
    return this.#log.get(revision) ?? this.#base.get(revision);
  }

  lendLog(revision: number): LogRecord | undefined {
    return this.readLog(revision);
  }

  scanLog(first: number, limit: number): readonly (LogRecord & { readonly revision: number })[] {
    const records: (LogRecord & { readonly revision: number })[] = [];
    const newest = this.#meta?.revision ?? 0;
    for (let revision = first; revision <= newest && records.length < limit; revision++) {
      const record = this.#log.get(revision);
      if (record !== undefined) records.push({ ...record, revision });
    }
    return records;
  }

  scanExpiries(limit: number): readonly ExpiryRecord[] {
    return this.#expiries.values('', LAST, limit);
  }

  async commit(writes: TableWrites): Promise<void> {
    for (const [revision, record] of writes.log) {
      if (record === undefined) this.#log.delete(revision);
      else this.#log.set(revision, { ...record, value: record.value && this.#memory.keep(record.value) });
    }
    for (const [key, record] of writes.index) {
      if (record === undefined) this.#index.delete(key);
      else this.#index.set(key, { ...record, key, value: this.#valueOf(key, record, writes) });
    }
    for (const { key, expiresAt, present } of writes.expiries) this.#setExpiry({ key, expiresAt }, present);
    this.#meta = writes.meta;
  }

  /** The value that a commit has written for a key. One that only gives it another end leaves the value. */
  #valueOf(key: string, { revision }: IndexRecord, { log }: TableWrites): Uint8Array | undefined {
    if (log.has(revision)) return this.#log.get(revision)?.value;
    const before = this.#index.get(key);
    return before?.revision === revision ? before.value : undefined;
  }

  /** The state of every commit so far, published or not. */
  snapshot(now: number): MemorySnapshot {
    return new MemorySnapshot(this.#index.copy(), { revision: this.#meta?.revision ?? 1, takenAt: now });
  }

  /**
   * Replaces everything by a snapshot, without history. Times to live continue at `now`. Returns the new revision, and
   * the keys that differ, in order.
   */
  replace(snapshot: MemorySnapshot, now: number): Replacement {
    const before = this.#index;
    let revision = Math.max(this.#meta?.revision ?? 1, snapshot.revision);
    this.#load(snapshot, now);
    const changed: RestoredKey[] = [];
    for (const { key, before: old, after } of before.differences(this.#index)) {
      if (isSame(old, after)) continue;
      // Another store has given the same revision to another value: readers would take it for the one they know.
      const record = after !== undefined && after.revision === old?.revision ? this.#renew(after, ++revision) : after;
      changed.push({ key, current: keyValueOf(record) });
    }
    this.#meta = metaAt(++revision);
    return { meta: this.#meta, changed };
  }

  /** Fills tables to which nothing was written. */
  fill(snapshot: MemorySnapshot, now: number): void {
    this.#load(snapshot, now);
    this.#meta = metaAt(snapshot.revision);
  }

  async close(): Promise<void> {}

  #load(snapshot: MemorySnapshot, now: number): void {
    this.#index = snapshot.index();
    this.#base = snapshot.log();
    this.#log = new Map();
    this.#expiries = new OrderedMap();
    for (const record of snapshot.mortal()) {
      const expiresAt = record.expiresAt + now - snapshot.takenAt;
      if (expiresAt !== record.expiresAt) this.#index.set(record.key, { ...record, expiresAt });
      this.#setExpiry({ key: record.key, expiresAt }, true);
    }
  }

  /** The same value at a new revision. */
  #renew(record: MemoryRecord, revision: number): MemoryRecord {
    const renewed = { ...record, revision };
    this.#index.set(record.key, renewed);
    this.#log.set(revision, { key: record.key, value: record.value, previousRevision: 0 });
    return renewed;
  }

  #setExpiry(record: ExpiryRecord, present: boolean): void {
    const order = `${String(record.expiresAt).padStart(16, '0')} ${record.key}`;
    if (present) this.#expiries.set(order, record);
    else this.#expiries.delete(order);
  }
}

/** The meta record of a store without history. */
function metaAt(revision: number): MetaRecord {
  return { revision, compactedRevision: revision, prunedRevision: revision, tickTime: 0, tickRevision: revision };
}

/** True if readers see no difference; both may be deleted. */
function isSame(before: MemoryRecord | undefined, after: MemoryRecord | undefined): boolean {
  if (before?.value === undefined || after?.value === undefined) return before?.value === after?.value;
  return before.revision === after.revision && Buffer.compare(before.value, after.value) === 0;
}

function keyValueOf(record: MemoryRecord | undefined): KeyValue | undefined {
  if (record?.value === undefined) return undefined;
  return { key: record.key, value: record.value, modRevision: record.revision };
}
