import type { ExpiryRecord, IndexRecord, LogRecord, MetaRecord, MvccTables, TableWrites } from '../mvcc/tables.js';
import { OrderedMap } from '../ordered-map.js';

/** After every key. */
const LAST = '\u{10ffff}';

/** Tables that live as long as the process. */
export class MemoryTables implements MvccTables {
  readonly #index = new OrderedMap<IndexRecord & { readonly key: string }>();
  readonly #log = new Map<number, LogRecord>();
  readonly #expiries = new OrderedMap<ExpiryRecord>();
  #meta: MetaRecord | undefined;

  readMeta(): MetaRecord | undefined {
    return this.#meta;
  }

  readIndex(key: string): IndexRecord | undefined {
    return this.#index.get(key);
  }

  scanIndex(start: string, end: string, limit: number): readonly (IndexRecord & { readonly key: string })[] {
    return this.#index.values(start, end, limit);
  }

  readLog(revision: number): LogRecord | undefined {
    return this.#log.get(revision);
  }

  lendLog(revision: number): LogRecord | undefined {
    return this.readLog(revision);
  }

  scanLog(first: number, limit: number): readonly (LogRecord & { readonly revision: number })[] {
    const records: (LogRecord & { readonly revision: number })[] = [];
    const newest = this.#meta?.revision ?? 0;
    for (let revision = first; revision <= newest && records.length < limit; revision++) {
      const record = this.#log.get(revision);
      if (record !== undefined) records.push({ ...record, revision });
    }
    return records;
  }

  scanExpiries(limit: number): readonly ExpiryRecord[] {
    return this.#expiries.values('', LAST, limit);
  }

  async commit(writes: TableWrites): Promise<void> {
    for (const [key, record] of writes.index) {
      if (record === undefined) this.#index.delete(key);
      else this.#index.set(key, { ...record, key });
    }
    for (const [revision, record] of writes.log) {
      if (record === undefined) this.#log.delete(revision);
      else this.#log.set(revision, record);
    }
    for (const { key, expiresAt, present } of writes.expiries) {
      const order = `${String(expiresAt).padStart(16, '0')} ${key}`;
      if (present) this.#expiries.set(order, { key, expiresAt });
      else this.#expiries.delete(order);
    }
    this.#meta = writes.meta;
  }

  async close(): Promise<void> {}
}
