import type { ExpiryRecord, IndexRecord, LogRecord, MetaRecord, MvccTables, TableWrites } from './tables.js';

/** Collects the writes of one commit. Reads through it include them. */
export class TableWriter {
  readonly index = new Map<string, IndexRecord | undefined>();
  readonly log = new Map<number, LogRecord | undefined>();
  /** By expiry and key: an entry that one commit removes and restores must end restored. */
  readonly #expiries = new Map<string, ExpiryRecord & { readonly present: boolean }>();
  readonly #tables: MvccTables;

  constructor(tables: MvccTables) {
    this.#tables = tables;
  }

  get empty(): boolean {
    return this.index.size === 0 && this.log.size === 0;
  }

  readIndex(key: string): IndexRecord | undefined {
    return this.index.has(key) ? this.index.get(key) : this.#tables.readIndex(key);
  }

  /** Writes a new version of `key`; `before` is its index record so far. */
  putVersion(key: string, value: Uint8Array | undefined, record: IndexRecord, before: IndexRecord | undefined): void {
    this.index.set(key, record);
    // The revision in a damaged record may be that of another key, which compaction would remove.
    const previousRevision = before === undefined || before.damaged === true ? 0 : before.revision;
    this.log.set(record.revision, { key, value, previousRevision });
    if (before !== undefined) this.setExpiry({ key, expiresAt: before.expiresAt }, false);
    this.setExpiry({ key, expiresAt: record.expiresAt }, true);
  }

  /** Adds or removes a time to live in the table of expiries; 0 means none. */
  setExpiry(record: ExpiryRecord, present: boolean): void {
    const { key, expiresAt, id } = record;
    if (expiresAt !== 0 || id !== undefined) this.#expiries.set(`${expiresAt} ${key}`, { ...record, present });
  }

  /** Gives a key another end; its value stays. */
  moveExpiry(key: string, record: IndexRecord, expiresAt: number): void {
    this.index.set(key, { ...record, expiresAt });
    this.setExpiry({ key, expiresAt: record.expiresAt }, false);
    this.setExpiry({ key, expiresAt }, true);
  }

  writes(meta: MetaRecord): TableWrites {
    return { index: this.index, log: this.log, expiries: this.#expiries.values(), meta };
  }
}
