import { TimeSlice } from '@apiserver/apimachinery/clock';
import type { KeyRange, KeyValue, RangeRequest, RangeResult } from '../key-value-store.js';
import type { MvccTables } from './tables.js';
import type { VersionReader } from './version-reader.js';

interface RangeSource {
  readonly tables: MvccTables;
  readonly versions: VersionReader;
  /** Throws if between two slices the revision was compacted, or the store closed. */
  checkReadable(): void;
}

interface RangeVisit extends RangeSource {
  visit(kv: KeyValue): void | Promise<void>;
}

const SCAN_BATCH = 128;
/** Number of keys between two checks of the time slice. */
const LOOKED_AT_ONCE = 8;

/** Reads a range at `revision`, in slices that yield to the event loop. */
export async function readRange(request: RangeRequest, revision: number, source: RangeSource): Promise<RangeResult> {
  const limit = request.limit ?? Number.POSITIVE_INFINITY;
  const slice = new TimeSlice();
  const kvs: KeyValue[] = [];
  let beyond = 0;
  let start = request.start;
  for (;;) {
    const records = source.tables.scanIndex(start, request.end, SCAN_BATCH);
    for (const record of records) {
      if (kvs.length < limit) {
        const kv = source.versions.at(record.key, record, revision);
        if (kv !== undefined) kvs.push(kv);
      } else if (source.versions.exists(record, revision)) {
        beyond++;
        if (request.count !== true) return { kvs, more: true, count: undefined, revision };
      }
    }
    const last = records.at(-1);
    if (last === undefined || records.length < SCAN_BATCH) break;
    start = `${last.key}\0`;
    if (slice.over) {
      await slice.yield();
      source.checkReadable();
    }
  }
  return { kvs, more: beyond > 0, count: kvs.length + beyond, revision };
}

/** Visits every key of a range at `revision`, in order. See KeyValueStore.scan. */
export async function scanRange(range: KeyRange, revision: number, source: RangeVisit): Promise<void> {
  const { tables, versions } = source;
  const slice = new TimeSlice();
  let start: string | undefined = range.start;
  while (start !== undefined) {
    const records = tables.scanIndex(start, range.end, SCAN_BATCH);
    for (const [i, record] of records.entries()) {
      if (i % LOOKED_AT_ONCE === 0 && slice.over) {
        await slice.yield();
        source.checkReadable();
      }
      const { key, revision: modRevision } = record;
      const isWanted = modRevision <= revision && !record.deleted && record.damaged !== true;
      const value = isWanted ? tables.lendValue?.(key, modRevision) : undefined;
      const kv = value === undefined ? versions.at(key, record, revision) : { key, value, modRevision };
      const busy = kv && source.visit(kv);
      if (busy === undefined) continue;
      await busy;
      source.checkReadable();
    }
    start = records.length < SCAN_BATCH ? undefined : `${records.at(-1)?.key}\0`;
  }
}
