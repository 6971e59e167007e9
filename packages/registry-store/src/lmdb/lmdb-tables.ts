import type { RootDatabase } from 'lmdb';
import { KeyValueError } from '../key-value-error.js';
import type { ExpiryRecord, IndexRecord, LogRecord, MetaRecord, MvccTables, TableWrites } from '../mvcc/tables.js';
import { commitFailure } from './lmdb-errors.js';
import {
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
  keyOfIndex,
  logKey,
  META_KEY,
  revisionOfLogKey,
} from './records.js';

/** LMDB's own bound on a key is 1978 bytes; the longest key upstream can form is below 700. */
const MAX_KEY_BYTES = 1960;
const EMPTY = Buffer.alloc(0);

export type LmdbDatabase = RootDatabase<Buffer, Buffer>;

/** Tables in an LMDB environment whose commits are synced before their promise resolves. */
export class LmdbTables implements MvccTables {
  readonly #database: LmdbDatabase;
  readonly #closed: () => void;

  /** `closed` is called after the database has been closed. */
  constructor(database: LmdbDatabase, closed: () => void) {
    this.#database = database;
    this.#closed = closed;
  }

  readMeta(): MetaRecord | undefined {
    const buffer = this.#database.getBinary(META_KEY);
    return buffer === undefined ? undefined : decodeMeta(buffer);
  }

  readIndex(key: string): IndexRecord | undefined {
    const id = indexKey(key);
    if (id.length > MAX_KEY_BYTES) return undefined;
    const buffer = this.#database.getBinary(id);
    return buffer === undefined ? undefined : decodeIndex(buffer);
  }

  scanIndex(start: string, end: string, limit: number): readonly (IndexRecord & { readonly key: string })[] {
    const range = this.#database.getRange({ start: indexKey(start), end: indexKey(end), limit });
    return Array.from(range, ({ key, value }) => ({ ...decodeIndex(value), key: keyOfIndex(key) }));
  }

  readLog(revision: number): LogRecord | undefined {
    const buffer = this.#database.getBinary(logKey(revision));
    return buffer === undefined ? undefined : decodeLog(buffer);
  }

  scanLog(first: number, limit: number): readonly (LogRecord & { readonly revision: number })[] {
    const range = this.#database.getRange({ start: logKey(first), end: END_OF_LOG, limit });
    return Array.from(range, ({ key, value }) => ({ ...decodeLog(value), revision: revisionOfLogKey(key) }));
  }

  scanExpiries(limit: number): readonly ExpiryRecord[] {
    return Array.from(this.#database.getKeys({ start: FIRST_EXPIRY, end: END_OF_EXPIRIES, limit }), decodeExpiry);
  }

  async commit(writes: TableWrites): Promise<void> {
    for (const key of writes.index.keys()) {
      if (Buffer.byteLength(key) >= MAX_KEY_BYTES) throw new KeyValueError('TooLarge', 'the key is too long');
    }
    const before = this.#metaBytes();
    try {
      await this.#database.batch(() => this.#write(writes));
    } catch (error) {
      this.#database.resetReadTxn();
      const unchanged = this.#metaBytes().equals(before);
      throw await commitFailure(error, unchanged);
    }
  }

  async close(): Promise<void> {
    await this.#database.close();
    this.#closed();
  }

  #metaBytes(): Buffer {
    return this.#database.getBinary(META_KEY) ?? EMPTY;
  }

  /** The promises of single writes settle with the batch's; each must still have somebody who listens. */
  #write(writes: TableWrites): void {
    const database = this.#database;
    const put = (key: Buffer, value: Buffer): void => void database.put(key, value).catch(ignore);
    const remove = (key: Buffer): void => void database.remove(key).catch(ignore);
    for (const [key, record] of writes.index) {
      if (record === undefined) remove(indexKey(key));
      else put(indexKey(key), encodeIndex(record));
    }
    for (const record of writes.expiries) {
      if (record.present) put(expiryKey(record), EMPTY);
      else remove(expiryKey(record));
    }
    for (const [revision, record] of writes.log) {
      if (record === undefined) remove(logKey(revision));
      else put(logKey(revision), encodeLog(record));
    }
    put(META_KEY, encodeMeta(writes.meta));
  }
}

function ignore(): void {}
