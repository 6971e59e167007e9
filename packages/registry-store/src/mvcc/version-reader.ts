import { KeyValueError } from '../key-value-error.js';
import type { KeyValue } from '../key-value-store.js';
import type { IndexRecord, LogRecord, MvccTables } from './tables.js';

/** Reads a key at a revision, by following the log from its newest version. */
export class VersionReader {
  readonly #tables: MvccTables;

  constructor(tables: MvccTables) {
    this.#tables = tables;
  }

  /** The version of `key` at `revision`; `newest` is its index record. An unreadable version has `damage`. */
  at(key: string, newest: IndexRecord | undefined, revision: number): KeyValue | undefined {
    if (newest === undefined) return undefined;
    if (newest.damaged === true) return damaged(key, newest.revision, 'its index record does not match its checksum');
    if (newest.revision <= revision) return newest.deleted ? undefined : this.#version(key, newest.revision);
    const version = this.#olderVersion(newest.revision, revision);
    return version === undefined ? undefined : toKeyValue(key, version.revision, version.record);
  }

  /** Reports whether `key` existed at `revision`, without reading a current value. True if unknown. */
  exists(newest: IndexRecord, revision: number): boolean {
    if (newest.damaged === true) return true;
    if (newest.revision <= revision) return !newest.deleted;
    const record = this.#olderVersion(newest.revision, revision)?.record;
    return record?.value !== undefined || record?.damaged === true;
  }

  /** The version that a log record replaced. */
  before(record: LogRecord): KeyValue | undefined {
    if (record.previousRevision === 0) return undefined;
    const previous = this.#tables.readLog(record.previousRevision);
    return previous === undefined ? undefined : toKeyValue(record.key, record.previousRevision, previous);
  }

  /**
   * Compaction removes deletions, so a link to a missing record means that the key was deleted before. The link of a
   * damaged record is missing.
   */
  #olderVersion(newest: number, revision: number): { revision: number; record: LogRecord } | undefined {
    let at = newest;
    let record = this.#tables.readLog(at);
    while (record !== undefined && at > revision && record.damaged !== true) {
      at = record.previousRevision;
      record = at === 0 ? undefined : this.#tables.readLog(at);
    }
    return record === undefined ? undefined : { revision: at, record };
  }

  #version(key: string, revision: number): KeyValue {
    const record = this.#tables.readLog(revision);
    if (record?.damaged === true) return damaged(key, revision, NO_MATCH);
    const kv = record?.key === key ? toKeyValue(key, revision, record) : undefined;
    return kv ?? damaged(key, revision, 'its value is missing');
  }
}

const NO_MATCH = 'it does not match its checksum';
const EMPTY = new Uint8Array(0);

function toKeyValue(key: string, modRevision: number, record: LogRecord): KeyValue | undefined {
  if (record.damaged === true) return damaged(key, modRevision, NO_MATCH);
  return record.value === undefined ? undefined : { key, value: record.value, modRevision };
}

function damaged(key: string, modRevision: number, why: string): KeyValue {
  const damage = new KeyValueError(
    'Corrupt',
    `what the store has of ${key} at revision ${modRevision} is damaged: ${why}`,
  );
  return { key, value: EMPTY, modRevision, damage };
}
