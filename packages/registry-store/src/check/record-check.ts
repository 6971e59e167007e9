import { messageOf } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import {
  decodeCheckedFrom,
  decodeExpiry,
  decodeIndex,
  decodeLog,
  decodeMeta,
  isChecked,
  keyOfIndex,
  META_KEY,
  revisionOfLogKey,
  tableOf,
} from '../lmdb/records.js';
import type { IndexRecord, LogRecord } from '../mvcc/tables.js';

const OPEN_BRACE = 0x7b;

/** A log record without its value, which a check does not keep. */
interface Version extends Pick<LogRecord, 'key'> {
  readonly deleted: boolean;
}

/**
 * Takes all records of a data file in key order, then newer ones, and reports those that are damaged or inconsistent.
 */
export class RecordCheck {
  readonly #faults: string[] = [];
  /** By key: the times of expiry. */
  readonly #expiries = new Map<string, Set<number>>();
  readonly #index = new Map<string, Buffer>();
  /** By revision; undefined for a damaged one. */
  readonly #log = new Map<number, Version | undefined>();
  #meta: Buffer | undefined;
  #checkedFrom: number | undefined;
  /** Revisions of log records. */
  readonly #unchecked = new Set<number>();

  /** Both arguments are lent. */
  take(key: Buffer, value: Buffer): void {
    switch (tableOf(key)) {
      case 'expiry': {
        const record = decodeExpiry(key);
        const times = this.#expiries.get(record.key);
        if (times === undefined) this.#expiries.set(record.key, new Set([record.expiresAt]));
        else times.add(record.expiresAt);
        return;
      }
      case 'index':
        this.#index.set(keyOfIndex(key), Buffer.from(value));
        return;
      case 'meta':
        if (META_KEY.equals(key)) this.#meta = Buffer.from(value);
        return;
      case 'log':
        this.#takeLog(revisionOfLogKey(key), value);
        return;
      case undefined:
        this.#faults.push(`a record has the key ${quote(key.toString('latin1'))}, which is none`);
    }
  }

  /** Takes back a record that a journal removes, if there is one. */
  remove(key: Buffer): void {
    switch (tableOf(key)) {
      case 'expiry':
        this.#removeExpiry(key);
        return;
      case 'index':
        this.#index.delete(keyOfIndex(key));
        return;
      case 'log':
        this.#log.delete(revisionOfLogKey(key));
        this.#unchecked.delete(revisionOfLogKey(key));
    }
  }

  /** The newest meta record. */
  get meta(): Buffer | undefined {
    return this.#meta;
  }

  /** The result, once all records have been taken. */
  end(): {
    readonly faults: readonly string[];
    readonly keys: number;
    readonly revision: number;
    readonly unchecked: number;
  } {
    const revision = this.#revision();
    const checkedFrom = this.#floor();
    const current = new Map<number, string>();
    let keys = 0;
    for (const [key, bytes] of this.#index) {
      const record = decodeIndex(bytes, checkedFrom);
      if (record.damaged === true) this.#faults.push(`${key}: its index record does not match its checksum`);
      else {
        current.set(record.revision, key);
        this.#checkExpiry(key, record);
      }
      if (record.deleted) continue;
      keys++;
      if (record.damaged !== true) this.#checkKey(key, record);
    }
    for (const [at, version] of this.#log) this.#checkVersion(at, version, current.get(at));
    for (const key of this.#expiries.keys()) {
      if (!this.#index.has(key)) this.#faults.push(`${key}: it has a time to live and no index record`);
    }
    return { faults: this.#faults, keys, revision, unchecked: this.#unchecked.size };
  }

  #removeExpiry(key: Buffer): void {
    const record = decodeExpiry(key);
    const times = this.#expiries.get(record.key);
    times?.delete(record.expiresAt);
    if (times?.size === 0) this.#expiries.delete(record.key);
  }

  #takeLog(revision: number, bytes: Buffer): void {
    const record = decodeLog(bytes, { revision, checkedFrom: this.#floor() });
    const hasChecksum = isChecked(bytes);
    if (record.damaged !== true && !hasChecksum) this.#unchecked.add(revision);
    const isBroken = record.damaged === true || (!hasChecksum && isBrokenJson(record.value));
    this.#log.set(revision, isBroken ? undefined : { key: record.key, deleted: record.value === undefined });
  }

  #checkKey(key: string, { revision }: IndexRecord): void {
    const version = this.#log.get(revision);
    if (!this.#log.has(revision) || (version !== undefined && (version.key !== key || version.deleted))) {
      this.#faults.push(`${key} at revision ${revision}: its value is missing`);
    }
  }

  #checkExpiry(key: string, { expiresAt }: IndexRecord): void {
    const times = this.#expiries.get(key);
    const isRight = expiresAt === 0 ? times === undefined : times?.size === 1 && times.has(expiresAt);
    if (!isRight) this.#faults.push(`${key}: its time to live is damaged`);
  }

  /** `key` is the key of which this is the newest version. */
  #checkVersion(revision: number, version: Version | undefined, key: string | undefined): void {
    if (version === undefined) {
      const what = key === undefined ? `a past change at revision ${revision}` : `${key} at revision ${revision}`;
      this.#faults.push(`${what}: it does not match its checksum, or is no JSON`);
    } else if (!this.#index.has(version.key)) {
      this.#faults.push(`${version.key} at revision ${revision}: its index record is missing`);
    }
  }

  /** The meta record comes before the log and after the index. */
  #floor(): number {
    this.#checkedFrom ??= this.#readMeta(decodeCheckedFrom, Number.POSITIVE_INFINITY);
    return this.#checkedFrom;
  }

  #revision(): number {
    return this.#readMeta((meta) => decodeMeta(meta).revision, 0, true);
  }

  #readMeta(read: (meta: Buffer) => number, otherwise: number, isReported = false): number {
    try {
      if (this.#meta !== undefined) return read(this.#meta);
      if (isReported && this.#index.size + this.#log.size > 0) this.#faults.push('the meta record is missing');
    } catch (error) {
      if (isReported) this.#faults.push(messageOf(error));
    }
    return otherwise;
  }
}

/** Finds a truncated or torn value without a checksum, if it is JSON. */
function isBrokenJson(value: Uint8Array | undefined): boolean {
  if (value?.[0] !== OPEN_BRACE) return false;
  try {
    JSON.parse(Buffer.from(value).toString());
    return false;
  } catch {
    return true;
  }
}
