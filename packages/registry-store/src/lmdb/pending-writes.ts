import type { ExpiryRecord, IndexRecord, MetaRecord, TableWrites } from '../mvcc/tables.js';
import { OrderedMap } from '../ordered-map.js';
import type { EntryWriter } from './entry-writer.js';
import {
  BATCH_HEADER,
  blockAfter,
  ENTRY_HEADER,
  sealBatch,
  valueLengthBefore,
  writeEntryHeader,
} from './journal-batches.js';
import {
  encodeIndex,
  encodeMeta,
  expiryKey,
  indexKey,
  type JournalMark,
  logKey,
  META_KEY,
  sizeOfLog,
  writeLog,
} from './records.js';

/** `record` is undefined for a removed key. */
interface IndexEntry {
  readonly key: string;
  readonly record: IndexRecord | undefined;
}

const EMPTY = Buffer.alloc(0);
const LOG_KEY_SIZE = 9;
/** Key, value and header of an entry that is not of the log, without the key's text. */
const SMALL_ENTRY = ENTRY_HEADER + 32;
/** Header of a batch, and its meta record. */
const FIXED = BATCH_HEADER + ENTRY_HEADER + 80;

/** Versions that are written or removed. LMDB takes a half in one turn of the event loop: some milliseconds. */
const MAX_CHANGES = 1536;
/** Times to live that are written or removed. A version may do both; so does a change of the time alone. */
const MAX_ENDS = 2 * MAX_CHANGES;

/** Writes that can be read more than once. */
export interface RepeatableWrites extends TableWrites {
  readonly expiries: readonly (ExpiryRecord & { readonly present: boolean })[];
}

/** A batch in the bytes of a half that is not on the disk yet. */
export interface EncodedBatch {
  readonly begin: number;
  readonly end: number;
  readonly writes: RepeatableWrites;
  readonly sequence: number;
  /** Offsets of the log records, by revision; null for removed ones. */
  readonly places: ReadonlyMap<number, number | null>;
}

/** Maximum size of the batch for these writes, in bytes. */
export function sizeInJournal(writes: RepeatableWrites): number {
  let size = FIXED;
  for (const key of writes.index.keys()) size += SMALL_ENTRY + 3 * key.length;
  for (const record of writes.log.values()) {
    size += ENTRY_HEADER + LOG_KEY_SIZE + (record === undefined ? 0 : sizeOfLog(record));
  }
  for (const { key, id } of writes.expiries) size += SMALL_ENTRY + 3 * key.length + (id?.length ?? 0);
  return size;
}

/** Half of the journal: its bytes, and the tables of what was written to it. */
export class PendingWrites {
  /** Its place in the file. */
  readonly half: 0 | 1;
  readonly bytes: Buffer;
  /** Undefined for a removed key, which the tables below may still have. */
  readonly index = new Map<string, IndexRecord | undefined>();
  /** By the id of the expiry, as latin1. */
  readonly expiries = new Map<string, ExpiryRecord & { readonly present: boolean }>();
  /** State of the store after the last batch. */
  meta: MetaRecord | undefined;
  /** Number of the last batch. */
  sequence = 0;
  /** Number of keys and log records that were removed, at least. */
  removed = 0;
  /** Offsets of log records by revision, in order. Null for removed records, in any order. */
  readonly #log = new Map<number, number | null>();
  #first = 0;
  #end = 0;
  /** The index in order; undefined after a change. */
  #ordered: OrderedMap<IndexEntry> | undefined;

  constructor(half: 0 | 1, bytes: Buffer) {
    this.half = half;
    this.bytes = bytes;
  }

  get empty(): boolean {
    return this.#end === 0;
  }

  /** True if a batch up to that number is in here. */
  has(sequence: number): boolean {
    return !this.empty && this.#first <= sequence;
  }

  /** `size` is in bytes. */
  fits(size: number, { log, expiries }: RepeatableWrites): boolean {
    if (this.#end + size > this.bytes.length) return false;
    const versions = this.#log.size + log.size;
    const ends = this.expiries.size + expiries.length;
    return this.empty || (versions <= MAX_CHANGES && ends <= MAX_ENDS);
  }

  /** Requires that they fit. Nothing is visible before `add`. */
  encode(writes: RepeatableWrites, mark: JournalMark, checkedFrom: number): EncodedBatch {
    const begin = this.#end;
    const { bytes } = this;
    const places = new Map<number, number | null>();
    let at = begin + BATCH_HEADER;
    for (const [revision, record] of writes.log) {
      if (record === undefined) {
        at = this.#writeEntry(at, logKey(revision), undefined);
        places.set(revision, null);
        continue;
      }
      const valueAt = at + ENTRY_HEADER + LOG_KEY_SIZE;
      const end = writeLog(bytes, valueAt, record, revision);
      writeEntryHeader(bytes, at, LOG_KEY_SIZE, end - valueAt);
      bytes.set(logKey(revision), at + ENTRY_HEADER);
      places.set(revision, valueAt);
      at = end;
    }
    for (const [key, record] of writes.index) {
      at = this.#writeEntry(at, indexKey(key), record && encodeIndex(record));
    }
    for (const record of writes.expiries) {
      at = this.#writeEntry(at, expiryKey(record), record.present ? EMPTY : undefined);
    }
    at = this.#writeEntry(at, META_KEY, encodeMeta(writes.meta, checkedFrom, mark));
    sealBatch(bytes.subarray(begin, at), mark);
    return { begin, end: at, writes, sequence: mark.sequence, places };
  }

  /** Shows a batch that is on the disk. */
  add({ end, writes, sequence, places }: EncodedBatch): void {
    for (const [key, record] of writes.index) {
      this.index.set(key, record);
      if (record === undefined) this.removed++;
    }
    this.#ordered = undefined;
    for (const record of writes.expiries) this.expiries.set(expiryKey(record).toString('latin1'), record);
    for (const [revision, at] of places) {
      this.#log.set(revision, at);
      if (at === null) this.removed++;
    }
    if (this.empty) this.#first = sequence;
    this.meta = writes.meta;
    this.sequence = sequence;
    this.#end = blockAfter(end);
  }

  /** The encoded log record of a revision, as a view. Null for a removed one, which the tables below may still have. */
  lendLog(revision: number): Buffer | null | undefined {
    const at = this.#log.get(revision);
    return typeof at === 'number' ? this.#logAt(at) : at;
  }

  /** The encoded log records without the removed ones, as views. */
  *lendAllLogs(): Generator<readonly [revision: number, bytes: Buffer]> {
    for (const [revision, at] of this.#log) if (at !== null) yield [revision, this.#logAt(at)];
  }

  /** At most `limit` entries with keys in [start, end), in order. */
  scanIndex(start: string, end: string, limit: number): readonly IndexEntry[] {
    this.#ordered ??= this.#inOrder();
    return this.#ordered.values(start, end, limit);
  }

  /** Writes everything to LMDB's tree, for a commit that includes `meta`. */
  writeTo(writer: EntryWriter): void {
    for (const [key, record] of this.index) {
      if (record === undefined) writer.remove(indexKey(key));
      else writer.put(indexKey(key), encodeIndex(record));
    }
    for (const record of this.expiries.values()) {
      if (record.present) writer.put(expiryKey(record), EMPTY);
      else writer.remove(expiryKey(record));
    }
    for (const [revision, at] of this.#log) {
      if (at === null) writer.remove(logKey(revision));
      else writer.append(logKey(revision), this.#logAt(at));
    }
  }

  /** Call it when the tables below have everything. */
  clear(): void {
    this.index.clear();
    this.expiries.clear();
    this.#log.clear();
    this.removed = 0;
    this.meta = undefined;
    this.#ordered = undefined;
    this.#end = 0;
  }

  #logAt(at: number): Buffer {
    return this.bytes.subarray(at, at + valueLengthBefore(this.bytes, at - LOG_KEY_SIZE));
  }

  #inOrder(): OrderedMap<IndexEntry> {
    const ordered = new OrderedMap<IndexEntry>();
    for (const [key, record] of this.index) ordered.set(key, { key, record });
    return ordered;
  }

  #writeEntry(at: number, key: Buffer, value: Buffer | undefined): number {
    const { bytes } = this;
    writeEntryHeader(bytes, at, key.length, value?.length);
    bytes.set(key, at + ENTRY_HEADER);
    const end = at + ENTRY_HEADER + key.length;
    if (value !== undefined) bytes.set(value, end);
    return end + (value?.length ?? 0);
  }
}
