import { compareKeys } from '../key-order.js';
import { isKeyValueError, KeyValueError } from '../key-value-error.js';
import type { ExpiryRecord, IndexRecord, LogRecord, MetaRecord, MvccTables, TableWrites } from '../mvcc/tables.js';
import { checkKeys, type JournaledWrites, type LmdbTables } from './lmdb-tables.js';
import { PendingWrites, type RepeatableWrites, sizeInJournal } from './pending-writes.js';
import { CHECKED_FROM_BEGINNING, decodeLog, expiryKey, valueInLog } from './records.js';

/** Milliseconds after which LMDB has a write at the latest. */
const MAX_PENDING_MS = 5000;
const NO_BYTES = Buffer.alloc(0);

/** The file of a journal; see JournalFile. */
export interface Journal {
  readonly id: bigint;
  /** The bytes of each half. */
  readonly halves: readonly [Buffer, Buffer];
  checkInPlace(): void;
  /**
   * Resolves when these bytes of a half are on the disk; they are read until then. `begin` is the beginning of a block.
   */
  write(half: 0 | 1, begin: number, end: number): Promise<void>;
  close(): void;
  /** Removes a closed journal. Never throws. */
  remove(): void;
}

/** The journal in front of the tables. */
export interface JournalOptions {
  /** Commits without a journal after a start, so that short runs need none. */
  readonly after: number;
  /** Creates the journal; undefined where it is impossible. */
  create(): Promise<Journal | undefined>;
}

/**
 * Tables whose writes go to a journal first, and to LMDB in large commits: when half of the journal is full, or after
 * some seconds. A write to the journal needs one sync, and a commit of LMDB two, and it writes pages all over the file.
 *
 * Commits that are larger than a half go to LMDB directly, together with everything that was journaled before. So do
 * all commits until there is a journal.
 */
export class JournaledTables implements MvccTables {
  readonly #tables: LmdbTables;
  readonly #options: JournalOptions;
  /** Undefined until the tables refer to it. */
  #journal: Journal | undefined;
  #created: Journal | undefined;
  #creating: Promise<void> | undefined;
  #commitsLeft: number;
  /** Takes new batches. */
  #active = new PendingWrites(0, NO_BYTES);
  /** Is being stored by LMDB, or empty. */
  #full = new PendingWrites(1, NO_BYTES);
  /** Number of the last acknowledged batch. */
  #sequence = 0;
  #meta: MetaRecord | undefined;
  /** Settles when the pending commit has ended; never rejects. */
  #committing: Promise<void> | undefined;
  /** Settles when `#full` is empty, or could not be stored. */
  #storing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** True if the active half is to be stored as soon as possible. */
  #isDue = false;
  #isClosing = false;
  /** After it, it is unknown what is on the disk. */
  #broken: KeyValueError | undefined;

  constructor(tables: LmdbTables, options: JournalOptions) {
    this.#tables = tables;
    this.#options = options;
    this.#commitsLeft = options.after;
    this.#meta = tables.readMeta();
  }

  /** Creates the journal now. Its first batch follows the next commit. If it fails, later commits try again. */
  async prepare(): Promise<void> {
    this.#created = await this.#options.create();
    if (this.#created === undefined) this.#commitsLeft = this.#options.after;
  }

  readMeta(): MetaRecord | undefined {
    return this.#meta;
  }

  readIndex(key: string): IndexRecord | undefined {
    if (this.#active.index.has(key)) return this.#active.index.get(key);
    if (this.#full.index.has(key)) return this.#full.index.get(key);
    return this.#tables.readIndex(key);
  }

  scanIndex(start: string, end: string, limit: number): readonly (IndexRecord & { readonly key: string })[] {
    const most = limit + this.#removed;
    const stored = this.#tables.scanIndex(start, end, most);
    const pending = [this.#full, this.#active].flatMap((half) => half.scanIndex(start, end, most));
    if (pending.length === 0) return stored.slice(0, limit);
    const records = new Map(stored.map((record) => [record.key, record]));
    for (const { key, record } of pending) {
      if (record === undefined) records.delete(key);
      else records.set(key, { ...record, key });
    }
    return Array.from(records.values())
      .sort((a, b) => compareKeys(a.key, b.key))
      .slice(0, limit);
  }

  readLog(revision: number): LogRecord | undefined {
    const pending = this.#pendingLog(revision);
    if (pending === undefined) return this.#tables.readLog(revision);
    return pending === null ? undefined : decodePending(Buffer.from(pending), revision);
  }

  lendLog(revision: number): LogRecord | undefined {
    const pending = this.#pendingLog(revision);
    if (pending === undefined) return this.#tables.lendLog(revision);
    return pending === null ? undefined : decodePending(pending, revision);
  }

  lendValue(key: string, revision: number): Uint8Array | undefined {
    const pending = this.#pendingLog(revision);
    if (pending === undefined) return this.#tables.lendValue(key, revision);
    if (pending === null) return undefined;
    return valueInLog(pending, key, { revision, checkedFrom: CHECKED_FROM_BEGINNING });
  }

  scanLog(first: number, limit: number): readonly (LogRecord & { readonly revision: number })[] {
    const stored = this.#tables.scanLog(first, limit + this.#removed);
    const records = stored.filter(({ revision }) => this.#pendingLog(revision) !== null).slice(0, limit);
    let last = stored.at(-1)?.revision ?? first - 1;
    for (const half of [this.#full, this.#active]) {
      for (const [revision, bytes] of half.lendAllLogs()) {
        if (records.length >= limit) return records;
        if (revision <= last || this.#pendingLog(revision) === null) continue;
        records.push({ ...decodePending(Buffer.from(bytes), revision), revision });
        last = revision;
      }
    }
    return records;
  }

  scanExpiries(limit: number): readonly ExpiryRecord[] {
    const pending = new Map([...this.#full.expiries, ...this.#active.expiries]);
    const stored = this.#tables.scanExpiries(limit + pending.size);
    if (pending.size === 0) return stored;
    const records = new Map(stored.map((record) => [idOf(record), record]));
    for (const [id, { present, ...record }] of pending) {
      if (present) records.set(id, record);
      else records.delete(id);
    }
    return Array.from(records)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([, record]) => record);
  }

  async commit(writes: TableWrites): Promise<void> {
    if (this.#journal === undefined) return await this.#commitWithout(writes);
    const done = Promise.withResolvers<void>();
    this.#committing = done.promise;
    try {
      await this.#commitTo(this.#journal, { ...writes, expiries: [...writes.expiries] });
    } finally {
      this.#committing = undefined;
      this.#storeIfDue();
      done.resolve();
    }
  }

  /** Resolves when LMDB has all that was acknowledged before. Throws KeyValueError. */
  async settle(): Promise<void> {
    const last = this.#sequence;
    while (this.#active.has(last) || this.#full.has(last)) {
      if (this.#isClosing) throw new KeyValueError('Closed', 'the store is closed');
      this.#isDue = true;
      this.#storeIfDue();
      await (this.#storing ?? this.#committing);
    }
  }

  /** Waits for one half only: under endless writes LMDB always stores one. */
  async readyToRemove(): Promise<void> {
    await this.#storing?.catch(() => {});
  }

  reclaim(): void {
    this.#tables.reclaim();
  }

  size(): number {
    return this.#tables.size();
  }

  /** A store that cannot be written keeps its journal. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    this.#tables.stopCopies();
    await this.#creating;
    const isStored = this.#broken === undefined && (this.#journal === undefined || (await this.#storeLast()));
    this.#created?.close();
    // Before the tables release the folder, whose next owner may create a journal.
    if (isStored) this.#created?.remove();
    await this.#tables.close();
  }

  /** Null for a removed record. */
  #pendingLog(revision: number): Buffer | null | undefined {
    const newest = this.#active.lendLog(revision);
    return newest === undefined ? this.#full.lendLog(revision) : newest;
  }

  /** Number of keys and log records below that the halves may hide. */
  get #removed(): number {
    return this.#full.removed + this.#active.removed;
  }

  async #commitWithout(writes: TableWrites): Promise<void> {
    const created = this.#created;
    const mark = created && { id: created.id, sequence: this.#sequence };
    await this.#store(writes, { mark });
    this.#meta = writes.meta;
    if (created !== undefined) this.#begin(created);
    else if (--this.#commitsLeft === 0) this.#creating = this.prepare();
  }

  #begin(journal: Journal): void {
    this.#active = new PendingWrites(0, journal.halves[0]);
    this.#full = new PendingWrites(1, journal.halves[1]);
    this.#journal = journal;
  }

  async #commitTo(journal: Journal, writes: RepeatableWrites): Promise<void> {
    checkKeys(writes);
    if (this.#broken !== undefined) throw this.#broken;
    this.#tables.checkInPlace();
    journal.checkInPlace();
    const size = sizeInJournal(writes);
    if (size > this.#active.bytes.length) return await this.#commitDirectly(journal, writes);
    if (!this.#active.fits(size, writes)) await this.#makeRoom();
    const mark = { id: journal.id, sequence: this.#sequence + 1 };
    const active = this.#active;
    const batch = active.encode(writes, mark, this.#tables.checkedFrom);
    try {
      await journal.write(active.half, batch.begin, batch.end);
    } catch (error) {
      throw this.#noted(error);
    }
    active.add(batch);
    this.#sequence = batch.sequence;
    this.#meta = writes.meta;
    this.#timer ??= setTimeout(() => this.#timedOut(), MAX_PENDING_MS).unref();
  }

  /** LMDB takes the writes and everything before them in one commit. */
  async #commitDirectly(journal: Journal, writes: TableWrites): Promise<void> {
    await this.#emptyFull();
    const active = this.#active;
    const mark = { id: journal.id, sequence: this.#sequence };
    await this.#store(writes, { mark, writeTo: (writer) => active.writeTo(writer) });
    this.#cleared(active);
    this.#meta = writes.meta;
  }

  async #makeRoom(): Promise<void> {
    await this.#emptyFull();
    this.#storeActive();
  }

  async #emptyFull(): Promise<void> {
    while (!this.#full.empty) await (this.#storing ?? this.#storeFull());
  }

  #timedOut(): void {
    this.#timer = undefined;
    this.#isDue = true;
    this.#storeIfDue();
  }

  #storeIfDue(): void {
    const isBusy = this.#committing !== undefined || this.#storing !== undefined || this.#isClosing;
    if (!this.#isDue || isBusy) return;
    if (!this.#full.empty) this.#storeFull().catch(() => {});
    else if (!this.#active.empty) this.#storeActive();
    else this.#isDue = false;
  }

  /** Requires that no batch is being written, and the full half is empty. */
  #storeActive(): void {
    [this.#active, this.#full] = [this.#full, this.#active];
    this.#isDue = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#storeFull().catch(() => {});
  }

  #storeFull(): Promise<void> {
    this.#storing = this.#storeHalf(this.#full).then(
      () => {
        this.#storing = undefined;
        this.#storeIfDue();
      },
      (error: unknown) => {
        this.#storing = undefined;
        throw error;
      },
    );
    return this.#storing;
  }

  async #storeHalf(half: PendingWrites): Promise<void> {
    const { meta, sequence } = half;
    const mark = this.#journal && { id: this.#journal.id, sequence };
    if (meta !== undefined) await this.#store(onlyMeta(meta), { mark, writeTo: (writer) => half.writeTo(writer) });
    this.#cleared(half);
  }

  /** When the caller asked for it, LMDB still had what was removed. */
  #cleared(half: PendingWrites): void {
    const hasRemoved = half.removed > 0;
    half.clear();
    if (hasRemoved) this.#tables.reclaim();
  }

  /** Everything that is left, after which the journal is not needed. False if LMDB cannot take it. */
  async #storeLast(): Promise<boolean> {
    try {
      await this.#emptyFull();
      const [active, meta] = [this.#active, this.#meta];
      if (meta === undefined) return false;
      await this.#store(onlyMeta(meta), { mark: undefined, writeTo: (writer) => active.writeTo(writer) });
      return true;
    } catch {
      return false;
    }
  }

  async #store(writes: TableWrites, journaled: JournaledWrites): Promise<void> {
    try {
      await this.#tables.commit(writes, journaled);
    } catch (error) {
      throw this.#noted(error);
    }
  }

  #noted(error: unknown): unknown {
    if (isKeyValueError(error) && !CLEAN.has(error.keyValueErrorCode)) this.#broken = error;
    return error;
  }
}

/** Errors that leave everything unchanged. */
const CLEAN: ReadonlySet<string> = new Set(['NoSpace', 'TooLarge']);

function onlyMeta(meta: MetaRecord): TableWrites {
  return { index: new Map(), log: new Map(), expiries: [], meta };
}

function decodePending(bytes: Buffer, revision: number): LogRecord {
  return decodeLog(bytes, { revision, checkedFrom: CHECKED_FROM_BEGINNING });
}

/** Its order is that of LMDB. */
function idOf(record: ExpiryRecord): string {
  return expiryKey(record).toString('latin1');
}
