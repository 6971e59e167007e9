import type { ExpiryRecord, IndexRecord, LogRecord, MetaRecord, TableWrites } from '../mvcc/tables.js';
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

type IndexEntry = IndexRecord & { readonly key: string };

const EMPTY = Buffer.alloc(0);
const LOG_KEY_SIZE = 9;
/** Key, value and header of an entry that is not of the log, without the key's text. */
const SMALL_ENTRY = ENTRY_HEADER + 32;
/** Header of a batch, and its meta record. */
const FIXED = BATCH_HEADER + ENTRY_HEADER + 80;

/** LMDB takes a half in one turn of the event loop: some milliseconds. */
const MOST_VERSIONS = 1024;

/** Writes of a commit that removes no records, and can be read more than once. */
export interface JournalableWrites extends TableWrites {
  readonly index: ReadonlyMap<string, IndexRecord>;
  readonly log: ReadonlyMap<number, LogRecord>;
  readonly expiries: readonly (ExpiryRecord & { readonly present: boolean })[];
}

/** A batch in the bytes of a half that is not on the disk yet. */
export interface EncodedBatch {
  readonly begin: number;
  readonly end: number;
  readonly writes: JournalableWrites;
  readonly sequence: number;
  /** Offsets of the log records, by revision. */
  readonly places: ReadonlyMap<number, number>;
}

/** Writes that can be read more than once. */
export type RepeatableWrites = TableWrites & Pick<JournalableWrites, 'expiries'>;

/** False for writes that remove records: a half cannot hide those of the tables below. */
export function isJournalable(writes: RepeatableWrites): writes is RepeatableWrites & JournalableWrites {
  for (const record of writes.index.values()) if (record === undefined) return false;
  for (const record of writes.log.values()) if (record === undefined) return false;
  return true;
}

/** Maximum size of the batch for these writes, in bytes. */
export function sizeInJournal(writes: JournalableWrites): number {
  let size = FIXED;
  for (const key of writes.index.keys()) size += SMALL_ENTRY + 3 * key.length;
  for (const record of writes.log.values()) size += ENTRY_HEADER + LOG_KEY_SIZE + sizeOfLog(record);
  for (const { key, id } of writes.expiries) size += SMALL_ENTRY + 3 * key.length + (id?.length ?? 0);
  return size;
}

/** Half of the journal: its bytes, and the tables of what was written to it. */
export class PendingWrites {
  /** Its place in the file. */
  readonly half: 0 | 1;
  readonly bytes: Buffer;
  readonly index = new Map<string, IndexRecord>();
  /** By the id of the expiry, as latin1. */
  readonly expiries = new Map<string, ExpiryRecord & { readonly present: boolean }>();
  /** State of the store after the last batch. */
  meta: MetaRecord | undefined;
  /** Number of the last batch. */
  sequence = 0;
  /** Offsets of log records by revision, in order. */
  readonly #log = new Map<number, number>();
  #first = 0;
  #end = 0;
  /** The index in order; undefined after a change. */
  #ordered: OrderedMap<IndexEntry> | undefined;

  constructor(half: 0 | 1, size: number) {
    this.half = half;
    // Of its own, so that lmdb looks up its address once.
    this.bytes = Buffer.from(new ArrayBuffer(size));
  }

  get empty(): boolean {
    return this.#end === 0;
  }

  /** True if a batch up to that number is in here. */
  has(sequence: number): boolean {
    return !this.empty && this.#first <= sequence;
  }

  /** `size` is in bytes. */
  fits(size: number, versions: number): boolean {
    return this.#end + size <= this.bytes.length && (this.empty || this.#log.size + versions <= MOST_VERSIONS);
  }

  /** Requires that they fit. Nothing is visible before `add`. */
  encode(writes: JournalableWrites, mark: JournalMark, checkedFrom: number): EncodedBatch {
    const begin = this.#end;
    const { bytes } = this;
    const places = new Map<number, number>();
    let at = begin + BATCH_HEADER;
    for (const [revision, record] of writes.log) {
      const valueAt = at + ENTRY_HEADER + LOG_KEY_SIZE;
      const end = writeLog(bytes, valueAt, record, revision);
      writeEntryHeader(bytes, at, LOG_KEY_SIZE, end - valueAt);
      bytes.set(logKey(revision), at + ENTRY_HEADER);
      places.set(revision, valueAt);
      at = end;
    }
    for (const [key, record] of writes.index) {
      at = this.#writeEntry(at, indexKey(key), encodeIndex(record));
    }
    for (const record of writes.expiries)
      at = this.#writeEntry(at, expiryKey(record), record.present ? EMPTY : undefined);
    at = this.#writeEntry(at, META_KEY, encodeMeta(writes.meta, checkedFrom, mark));
    sealBatch(bytes.subarray(begin, at), mark);
    return { begin, end: at, writes, sequence: mark.sequence, places };
  }

  /** Shows a batch that is on the disk. */
  add({ end, writes, sequence, places }: EncodedBatch): void {
    for (const [key, record] of writes.index) this.index.set(key, record);
    this.#ordered = undefined;
    for (const record of writes.expiries) this.expiries.set(expiryKey(record).toString('latin1'), record);
    for (const [revision, at] of places) this.#log.set(revision, at);
    if (this.empty) this.#first = sequence;
    this.meta = writes.meta;
    this.sequence = sequence;
    this.#end = blockAfter(end);
  }

  /** The encoded log record of a revision, as a view. */
  lendLog(revision: number): Buffer | undefined {
    const at = this.#log.get(revision);
    return at === undefined ? undefined : this.#logAt(at);
  }

  /** The encoded log records, as views. */
  *lendAllLogs(): Generator<readonly [revision: number, bytes: Buffer]> {
    for (const [revision, at] of this.#log) yield [revision, this.#logAt(at)];
  }

  /** At most `limit` records with keys in [start, end), in order. */
  scanIndex(start: string, end: string, limit: number): readonly IndexEntry[] {
    this.#ordered ??= this.#inOrder();
    return this.#ordered.values(start, end, limit);
  }

  /** Writes everything to LMDB's tree, for a commit that includes `meta`. */
  writeTo(writer: EntryWriter): void {
    for (const [key, record] of this.index) writer.put(indexKey(key), encodeIndex(record));
    for (const record of this.expiries.values()) {
      if (record.present) writer.put(expiryKey(record), EMPTY);
      else writer.remove(expiryKey(record));
    }
    for (const [revision, bytes] of this.lendAllLogs()) writer.append(logKey(revision), bytes);
  }

  /** Call it when the tables below have everything. */
  clear(): void {
    this.index.clear();
    this.expiries.clear();
    this.#log.clear();
    this.meta = undefined;
    this.#ordered = undefined;
    this.#end = 0;
  }

  #logAt(at: number): Buffer {
    return this.bytes.subarray(at, at + valueLengthBefore(this.bytes, at - LOG_KEY_SIZE));
  }

  #inOrder(): OrderedMap<IndexEntry> {
    const ordered = new OrderedMap<IndexEntry>();
    for (const [key, record] of this.index) ordered.set(key, { ...record, key });
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
