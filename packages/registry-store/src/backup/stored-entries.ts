import { setImmediate } from 'node:timers/promises';
import { isKeyValueError } from '../key-value-error.js';
import { type LmdbDatabase, openEnvironment } from '../lmdb/environment.js';
import { type NewerEntries, newerEntries } from '../lmdb/journal-file.js';
import { END_OF_INDEX, END_OF_LOG, FIRST_INDEX, logKey, META_KEY, tableOf } from '../lmdb/records.js';

/** Number of records after which the loop yields to the event loop, for signals for example. */
const BATCH = 256;

/** The journal of a store, and how to treat a damaged one. */
interface JournalSource {
  /** The folder of the journal; undefined if the data file has everything. */
  readonly directory: string | undefined;
  /** True: a damaged journal is left out. */
  readonly skipDamaged: boolean;
}

interface StoredEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** The entries of a data file that does not change, and of the journal that a killed server has left. */
export class StoredEntries implements AsyncDisposable {
  /** Undefined if nothing has been written yet. */
  readonly meta: Buffer | undefined;
  /** True if a damaged journal was left out. */
  readonly lacksJournal: boolean;
  readonly #database: LmdbDatabase;
  readonly #snapshot: ReturnType<LmdbDatabase['useReadTransaction']>;
  readonly #newer: NewerEntries;

  private constructor(database: LmdbDatabase, newer: NewerEntries | undefined) {
    this.#database = database;
    this.#snapshot = database.useReadTransaction();
    this.#newer = newer ?? new Map();
    this.lacksJournal = newer === undefined;
    this.meta = this.get(META_KEY);
  }

  /** Opens the data file at `path`. Throws KeyValueError. */
  static async open(path: string, journal: JournalSource): Promise<StoredEntries> {
    const database = await openEnvironment(path, { readOnly: true });
    try {
      const meta = database.getBinary(META_KEY);
      return new StoredEntries(database, meta === undefined ? new Map() : readJournal(journal, meta));
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  get(key: Buffer): Buffer | undefined {
    const text = key.toString('latin1');
    if (this.#newer.has(text)) return this.#newer.get(text);
    return this.#database.get(key, { transaction: this.#snapshot });
  }

  /** In the order of keys. */
  async *log(): AsyncGenerator<StoredEntry> {
    let start = logKey(0);
    for (;;) {
      const range = { start, end: END_OF_LOG, limit: BATCH, transaction: this.#snapshot };
      const entries = Array.from(this.#database.getRange(range));
      yield* entries;
      const last = entries.at(-1);
      if (last === undefined || entries.length < BATCH) break;
      start = Buffer.concat([last.key, Buffer.from([0])]);
      await setImmediate();
    }
    yield* this.#newerOf('log');
  }

  /** The values of the index, in no order. */
  *index(): Generator<Buffer> {
    const range = { start: FIRST_INDEX, end: END_OF_INDEX, transaction: this.#snapshot };
    for (const { key, value } of this.#database.getRange(range)) {
      if (!this.#newer.has(key.toString('latin1'))) yield value;
    }
    for (const { value } of this.#newerOf('index')) yield value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#snapshot.done();
    await this.#database.close();
  }

  *#newerOf(table: ReturnType<typeof tableOf>): Generator<StoredEntry> {
    for (const [text, value] of this.#newer) {
      const key = Buffer.from(text, 'latin1');
      if (value !== undefined && tableOf(key) === table) yield { key, value };
    }
  }
}

/** Undefined for a damaged journal that is left out. */
function readJournal({ directory, skipDamaged }: JournalSource, meta: Buffer): NewerEntries | undefined {
  if (directory === undefined) return new Map();
  try {
    return newerEntries(directory, meta);
  } catch (error) {
    if (skipDamaged && isKeyValueError(error) && error.keyValueErrorCode === 'Corrupt') return undefined;
    throw error;
  }
}
