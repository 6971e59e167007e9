import { dirname } from 'node:path';
import { KeyValueError } from '../key-value-error.js';
import type { ExpiryRecord, IndexRecord, LogRecord, MetaRecord, MvccTables, TableWrites } from '../mvcc/tables.js';
import { CopyRequests } from './copy-requests.js';
import type { DataFile } from './data-file.js';
import { BatchWriter, type EntryWriter } from './entry-writer.js';
import type { LmdbDatabase } from './environment.js';
import { FileRewriter } from './file-rewriter.js';
import { commitFailure, readFailure } from './lmdb-errors.js';
import {
  CHECKED_FROM_BEGINNING,
  decodeCheckedFrom,
  decodeExpiry,
  decodeIndex,
  decodeLog,
  decodeMeta,
  END_OF_EXPIRIES,
  END_OF_LOG,
  encodeIndex,
  encodeLog,
  encodeMeta,
  expiryKey,
  FIRST_EXPIRY,
  indexKey,
  type JournalMark,
  keyOfIndex,
  type LogPlace,
  logKey,
  META_KEY,
  revisionOfLogKey,
  valueInLog,
} from './records.js';

/** LMDB's own bound on a key is 1978 bytes; the longest key upstream can form is below 700. */
const MAX_KEY_BYTES = 1960;
const EMPTY = Buffer.alloc(0);

/** Dependencies of `LmdbTables`. */
export interface LmdbTablesOptions {
  /** False: commits do not wait for the disk. */
  readonly fsync: boolean;
  /** Files up to this size, in bytes, are never rewritten. */
  readonly small: number;
  /** Maximum size of a file relative to a freshly written one. */
  readonly maxRatio: number;
  /** The same while much is written. */
  readonly maxRatioInUse: number;
  /** Milliseconds between two looks for requests to copy the store. */
  readonly copyInterval: number;
  /** Resolves when the data file has all writes that were acknowledged before, for a copy of it. */
  readonly settle?: () => Promise<void>;
  /** Called after the database has been closed. */
  closed(): void;
}

/** The part of a commit that was journaled before. */
export interface JournaledWrites {
  /** Undefined: the store has no journal any more. */
  readonly mark: JournalMark | undefined;
  /** Writes entries that come before those of the commit. */
  writeTo?(writer: EntryWriter): void;
}

const UNJOURNALED: JournaledWrites = { mark: undefined };

/** Tables in an LMDB environment whose commits are synced before their promise resolves. */
export class LmdbTables implements MvccTables {
  #file: DataFile;
  readonly #rewriter: FileRewriter;
  readonly #copies: CopyRequests;
  readonly #closed: () => void;
  /** Settles when the pending commit ends; commits never overlap. */
  #committing: Promise<unknown> | undefined;
  /** Commits wait for this. */
  #holding: Promise<void> | undefined;
  #broken: unknown;
  /** See decodeCheckedFrom. Never lowered: the first commit stores it. */
  readonly #checkedFrom: number;

  /** Throws Corrupt if the meta record is damaged. */
  constructor(file: DataFile, options: LmdbTablesOptions) {
    this.#file = file;
    // Before anything that would have to be stopped.
    const meta = this.#get(META_KEY);
    this.#checkedFrom = meta === undefined ? CHECKED_FROM_BEGINNING : decodeCheckedFrom(meta);
    this.#closed = options.closed;
    this.#rewriter = new FileRewriter({
      fsync: options.fsync,
      small: options.small,
      maxRatio: options.maxRatio,
      maxRatioInUse: options.maxRatioInUse,
      file: () => this.#file,
      exclusively: (work) => this.#exclusively(work),
      use: (other) => {
        this.#file = other;
      },
      broken: (error) => {
        this.#broken = error;
      },
    });
    this.#copies = new CopyRequests({
      directory: dirname(file.path),
      interval: options.copyInterval,
      copy: async (path) => {
        await options.settle?.();
        await this.#rewriter.copyTo(path);
      },
    });
  }

  readMeta(): MetaRecord | undefined {
    const buffer = this.#get(META_KEY);
    return buffer === undefined ? undefined : decodeMeta(buffer);
  }

  readIndex(key: string): IndexRecord | undefined {
    const id = indexKey(key);
    if (id.length > MAX_KEY_BYTES) return undefined;
    const lent = this.#lend(id);
    return lent === undefined ? undefined : decodeIndex(lent, this.#checkedFrom);
  }

  scanIndex(start: string, end: string, limit: number): readonly (IndexRecord & { readonly key: string })[] {
    return this.#scan({ start: indexKey(start), end: indexKey(end), limit }, (key, value) => ({
      ...decodeIndex(value, this.#checkedFrom),
      key: keyOfIndex(key),
    }));
  }

  readLog(revision: number): LogRecord | undefined {
    const buffer = this.#get(logKey(revision));
    return buffer === undefined ? undefined : decodeLog(buffer, this.#place(revision));
  }

  lendLog(revision: number): LogRecord | undefined {
    const lent = this.#lend(logKey(revision));
    return lent === undefined ? undefined : decodeLog(lent, this.#place(revision));
  }

  lendValue(key: string, revision: number): Uint8Array | undefined {
    const lent = this.#lend(logKey(revision));
    return lent === undefined ? undefined : valueInLog(lent, key, this.#place(revision));
  }

  scanLog(first: number, limit: number): readonly (LogRecord & { readonly revision: number })[] {
    return this.#scan({ start: logKey(first), end: END_OF_LOG, limit }, (key, value) => {
      const revision = revisionOfLogKey(key);
      return { ...decodeLog(value, this.#place(revision)), revision };
    });
  }

  scanExpiries(limit: number): readonly ExpiryRecord[] {
    return this.#scan({ start: FIRST_EXPIRY, end: END_OF_EXPIRIES, limit }, decodeExpiry);
  }

  /** `journaled`: what else the commit includes. Without it the store has no journal afterwards. */
  async commit(writes: TableWrites, journaled = UNJOURNALED): Promise<void> {
    checkKeys(writes);
    while (this.#holding !== undefined) await this.#holding;
    if (this.#broken !== undefined) {
      throw await commitFailure(this.#broken, { unchanged: false, path: this.#file.path });
    }
    this.#file.checkInPlace();
    const { database, path } = this.#file;
    const before = this.#metaBytes();
    try {
      this.#committing = this.#commitTo(database, writes, journaled);
      await this.#committing;
      this.#rewriter.committed();
    } catch (error) {
      this.#rewriter.cancel();
      throw await commitFailure(error, { unchanged: this.#isStill(before), path });
    }
  }

  /** False if the meta record cannot be read: LMDB gives the file up after a failed write of its own meta page. */
  #isStill(before: Buffer): boolean {
    try {
      this.#file.database.resetReadTxn();
      return this.#metaBytes().equals(before);
    } catch {
      return false;
    }
  }

  /** See DataFile. */
  checkInPlace(): void {
    this.#file.checkInPlace();
  }

  /** See decodeCheckedFrom. */
  get checkedFrom(): number {
    return this.#checkedFrom;
  }

  /** A copy in progress reads the keys of a commit again, so it must be notified after they are readable. */
  #commitTo(database: LmdbDatabase, writes: TableWrites, journaled: JournaledWrites): Promise<unknown> {
    const { copy } = this.#rewriter;
    const changed: Buffer[] | undefined = copy && [];
    const committing = database.batch(() => this.#write(new BatchWriter(database, changed), writes, journaled));
    return changed === undefined ? committing : committing.then(() => copy?.note(changed));
  }

  /** Rewrites the file in the background if it is much larger than its content. */
  reclaim(): void {
    // Of a killed backup: it would prevent the reuse of free pages.
    this.#file.database.readerCheck();
    this.#rewriter.consider();
  }

  size(): number {
    return this.#file.size();
  }

  /** Ends the service for processes that ask for a copy. Idempotent. */
  stopCopies(): void {
    this.#copies.stop();
  }

  async close(): Promise<void> {
    this.stopCopies();
    await this.#rewriter.stop();
    await this.#file.database.close();
    this.#closed();
  }

  /** Waits for the pending commit, and delays further ones until `work` is done. */
  async #exclusively<T>(work: () => T | Promise<T>): Promise<T> {
    const holding = Promise.withResolvers<void>();
    this.#holding = holding.promise;
    try {
      await this.#committing?.catch(() => {});
      return await work();
    } finally {
      this.#holding = undefined;
      holding.resolve();
    }
  }

  #get(key: Buffer): Buffer | undefined {
    try {
      return this.#file.database.getBinary(key);
    } catch (error) {
      throw readFailure(error);
    }
  }

  /** lmdb reads everything into one buffer, and returns a view of it. */
  #lend(key: Buffer): Buffer | undefined {
    try {
      const bytes = this.#file.database.getBinaryFast(key);
      return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    } catch (error) {
      throw readFailure(error);
    }
  }

  #scan<T>(
    range: { readonly start: Buffer; readonly end: Buffer; readonly limit: number },
    decode: (key: Buffer, value: Buffer) => T,
  ): readonly T[] {
    try {
      return Array.from(this.#file.database.getRange(range), ({ key, value }) => decode(key, value));
    } catch (error) {
      throw readFailure(error);
    }
  }

  #place(revision: number): LogPlace {
    return { revision, checkedFrom: this.#checkedFrom };
  }

  #metaBytes(): Buffer {
    return this.#get(META_KEY) ?? EMPTY;
  }

  #write(writer: EntryWriter, writes: TableWrites, journaled: JournaledWrites): void {
    journaled.writeTo?.(writer);
    for (const [key, record] of writes.index) {
      if (record === undefined) writer.remove(indexKey(key));
      else writer.put(indexKey(key), encodeIndex(record));
    }
    for (const record of writes.expiries) {
      if (record.present) writer.put(expiryKey(record), EMPTY);
      else writer.remove(expiryKey(record));
    }
    for (const [revision, record] of writes.log) {
      if (record === undefined) writer.remove(logKey(revision));
      else writer.append(logKey(revision), encodeLog(record, revision));
    }
    writer.put(META_KEY, encodeMeta(writes.meta, this.#checkedFrom, journaled.mark));
  }
}

/** Throws TooLarge for a key that LMDB cannot store. */
export function checkKeys(writes: TableWrites): void {
  for (const key of writes.index.keys()) {
    // A character takes at most three bytes.
    if (3 * key.length >= MAX_KEY_BYTES && Buffer.byteLength(key) >= MAX_KEY_BYTES) {
      throw new KeyValueError('TooLarge', 'the key is too long');
    }
  }
}
