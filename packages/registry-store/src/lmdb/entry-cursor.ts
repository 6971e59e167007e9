import { bytesInFile } from './data-usage.js';
import type { LmdbDatabase } from './environment.js';

/** A record of the data file. */
export interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** One step of a cursor: the entries, and their size in a file. */
export interface EntrySlice {
  readonly entries: readonly Entry[];
  readonly bytes: number;
}

const MAX_ENTRIES = 256;
const MAX_BYTES = 512 * 1024;
const AFTER = Buffer.from([0]);

/**
 * Iterates over all entries in key order, one slice per call, each from the current state. Concurrent writes may be
 * missed or seen; entries appended after the last one are not.
 */
export class EntryCursor {
  readonly #database: LmdbDatabase;
  readonly #end: Buffer;
  #from = AFTER;

  constructor(database: LmdbDatabase) {
    this.#database = database;
    const [last] = database.getKeys({ reverse: true, limit: 1 });
    this.#end = last === undefined ? AFTER : Buffer.concat([last, AFTER]);
  }

  /** The next entries; empty at the end. */
  next(): EntrySlice {
    const entries: Entry[] = [];
    let bytes = 0;
    const range = { start: this.#from, end: this.#end, limit: MAX_ENTRIES };
    for (const { key, value } of this.#database.getRange(range)) {
      entries.push({ key, value });
      bytes += bytesInFile(key.length, value.length);
      if (bytes >= MAX_BYTES) break;
    }
    const last = entries.at(-1);
    if (last !== undefined) this.#from = Buffer.concat([last.key, AFTER]);
    return { entries, bytes };
  }
}
