import { KeyValueError } from '../key-value-error.js';
import type { KeyValue } from '../key-value-store.js';
import type { IndexRecord, LogRecord, MvccTables } from './tables.js';

/** Reads a key as it was at a revision, by walking from its newest version back through the log. */
export class VersionReader {
  readonly #tables: MvccTables;

  constructor(tables: MvccTables) {
    this.#tables = tables;
  }

  /** What `key` held at `revision`; `newest` is its index record. Throws Corrupt when the log misses what the index names. */
  at(key: string, newest: IndexRecord | undefined, revision: number): KeyValue | undefined {
    if (newest === undefined) return undefined;
    if (newest.revision <= revision) return newest.deleted ? undefined : this.#version(key, newest.revision);
    const version = this.#olderVersion(newest.revision, revision);
    return version === undefined ? undefined : toKeyValue(key, version.revision, version.record);
  }

  /** Whether `key` existed at `revision`, without touching a value that is current. */
  exists(newest: IndexRecord, revision: number): boolean {
    if (newest.revision <= revision) return !newest.deleted;
    return this.#olderVersion(newest.revision, revision)?.record.value !== undefined;
  }

  /** The version that a log record replaced. */
  before(record: LogRecord): KeyValue | undefined {
    if (record.previousRevision === 0) return undefined;
    const previous = this.#tables.readLog(record.previousRevision);
    return previous === undefined ? undefined : toKeyValue(record.key, record.previousRevision, previous);
  }

  /** Compaction removes deletions, so a link that leads to nothing means: was deleted before. */
  #olderVersion(newest: number, revision: number): { revision: number; record: LogRecord } | undefined {
    let at = newest;
    let record = this.#tables.readLog(at);
    while (record !== undefined && at > revision) {
      at = record.previousRevision;
      record = at === 0 ? undefined : this.#tables.readLog(at);
    }
    return record === undefined ? undefined : { revision: at, record };
  }

  #version(key: string, revision: number): KeyValue {
    const record = this.#tables.readLog(revision);
    const kv = record?.key === key ? toKeyValue(key, revision, record) : undefined;
    if (kv === undefined) throw new KeyValueError('Corrupt', `the value of ${key} at revision ${revision} is missing`);
    return kv;
  }
}

function toKeyValue(key: string, modRevision: number, record: LogRecord): KeyValue | undefined {
  return record.value === undefined ? undefined : { key, value: record.value, modRevision };
}
