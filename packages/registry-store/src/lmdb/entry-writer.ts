import { appendTo, type LmdbDatabase } from './environment.js';

/** Receives entries of the B-tree in a commit. */
export interface EntryWriter {
  put(key: Buffer, value: Buffer): void;
  /** The key must be the greatest. */
  append(key: Buffer, value: Buffer): void;
  remove(key: Buffer): void;
}

/** Writes to LMDB in a batch. The promises of single writes settle with the batch's; each still needs a handler. */
export class BatchWriter implements EntryWriter {
  readonly #database: LmdbDatabase;
  readonly #changed: Buffer[] | undefined;

  /** `changed` receives the keys. */
  constructor(database: LmdbDatabase, changed: Buffer[] | undefined) {
    this.#database = database;
    this.#changed = changed;
  }

  put(key: Buffer, value: Buffer): void {
    this.#database.put(key, value).catch(ignore);
    this.#changed?.push(key);
  }

  append(key: Buffer, value: Buffer): void {
    appendTo(this.#database, key, value).catch(ignore);
    this.#changed?.push(key);
  }

  remove(key: Buffer): void {
    this.#database.remove(key).catch(ignore);
    this.#changed?.push(key);
  }
}

/** The batch reports the error. lmdb rejects a second promise with the real one, which nobody may have asked for. */
function ignore(error: unknown): void {
  if (error instanceof Error && 'commitError' in error) Promise.resolve(error.commitError).catch(() => {});
}
