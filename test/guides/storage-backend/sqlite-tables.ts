import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type {
  ExpiryRecord,
  IndexRecord,
  LogRecord,
  MetaRecord,
  MvccTables,
  TableWrites,
} from '@apiserver/registry-store/mvcc';

type Row = Record<string, SQLOutputValue>;

/** Tables in a SQLite file. SQLite orders text by its UTF-8 bytes, as the store has to. */
export class SqliteTables implements MvccTables {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      CREATE TABLE IF NOT EXISTS meta (id INTEGER PRIMARY KEY, record TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS current (key TEXT PRIMARY KEY, record TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS log (
        revision INTEGER PRIMARY KEY, key TEXT NOT NULL, value BLOB, previousRevision INTEGER NOT NULL);
      CREATE TABLE IF NOT EXISTS expiry (
        expiresAt INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (expiresAt, key)) WITHOUT ROWID;`);
  }

  readMeta(): MetaRecord | undefined {
    const [row] = this.#all('SELECT record FROM meta');
    return row && JSON.parse(String(row.record));
  }

  readIndex(key: string): IndexRecord | undefined {
    const [row] = this.#all('SELECT record FROM current WHERE key = ?', key);
    return row && JSON.parse(String(row.record));
  }

  scanIndex(start: string, end: string, limit: number): readonly (IndexRecord & { readonly key: string })[] {
    const sql = 'SELECT key, record FROM current WHERE key >= ? AND key < ? ORDER BY key LIMIT ?';
    return this.#all(sql, start, end, limit).map(({ key, record }) => ({ ...JSON.parse(String(record)), key }));
  }

  readLog(revision: number): LogRecord | undefined {
    return this.scanLog(revision, 1).find((record) => record.revision === revision);
  }

  lendLog(revision: number): LogRecord | undefined {
    return this.readLog(revision);
  }

  scanLog(first: number, limit: number): readonly (LogRecord & { readonly revision: number })[] {
    return this.#all('SELECT * FROM log WHERE revision >= ? ORDER BY revision LIMIT ?', first, limit).map(logRecord);
  }

  scanExpiries(limit: number): readonly ExpiryRecord[] {
    const rows = this.#all('SELECT key, expiresAt FROM expiry ORDER BY expiresAt, key LIMIT ?', limit);
    return rows.map(({ key, expiresAt }) => ({ key: String(key), expiresAt: Number(expiresAt) }));
  }

  /** SQLite syncs before COMMIT returns. An error leaves the transaction undone, and the store stops. */
  async commit(writes: TableWrites): Promise<void> {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      this.#write(writes);
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #write({ index, log, expiries, meta }: TableWrites): void {
    for (const [key, record] of index) {
      if (record === undefined) this.#run('DELETE FROM current WHERE key = ?', key);
      else this.#run('REPLACE INTO current VALUES (?, ?)', key, JSON.stringify(record));
    }
    for (const [revision, record] of log) {
      if (record === undefined) this.#run('DELETE FROM log WHERE revision = ?', revision);
      else {
        const { key, value = null, previousRevision } = record;
        this.#run('REPLACE INTO log VALUES (?, ?, ?, ?)', revision, key, value, previousRevision);
      }
    }
    for (const { key, expiresAt, present } of expiries) {
      if (present) this.#run('REPLACE INTO expiry VALUES (?, ?)', expiresAt, key);
      else this.#run('DELETE FROM expiry WHERE expiresAt = ? AND key = ?', expiresAt, key);
    }
    this.#run('REPLACE INTO meta VALUES (1, ?)', JSON.stringify(meta));
  }

  #all(sql: string, ...values: (string | number)[]): Row[] {
    return this.#database.prepare(sql).all(...values);
  }

  #run(sql: string, ...values: (string | number | Uint8Array | null)[]): void {
    this.#database.prepare(sql).run(...values);
  }
}

function logRecord({ revision, key, value, previousRevision }: Row): LogRecord & { readonly revision: number } {
  return {
    revision: Number(revision),
    key: String(key),
    value: value instanceof Uint8Array ? value : undefined,
    previousRevision: Number(previousRevision),
  };
}
