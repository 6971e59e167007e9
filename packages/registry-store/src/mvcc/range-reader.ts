import type { KeyValue, RangeRequest, RangeResult } from '../key-value-store.js';
import type { MvccTables } from './tables.js';
import type { VersionReader } from './version-reader.js';
import { TimeSlice } from './yielding.js';

interface RangeSource {
  readonly tables: MvccTables;
  readonly versions: VersionReader;
  /** Throws when the revision being read has been compacted, or the store closed, between two slices. */
  checkReadable(): void;
}

const SCAN_BATCH = 128;

/** Reads a range as of `revision`, in slices that let the event loop go. */
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
