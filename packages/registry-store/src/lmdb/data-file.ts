import { statSync } from 'node:fs';
import type { LmdbDatabase } from './environment.js';
import { FilePlace } from './file-place.js';

/** An open data file. */
export class DataFile {
  readonly database: LmdbDatabase;
  readonly path: string;
  readonly #place: FilePlace;

  /** `database` is opened on the file at `path`. */
  constructor(database: LmdbDatabase, path: string) {
    this.database = database;
    this.path = path;
    this.#place = new FilePlace(path);
  }

  /** Bytes; 0 if the file is missing or inaccessible, which the next commits report. */
  size(): number {
    try {
      return statSync(this.path).size;
    } catch {
      return 0;
    }
  }

  /** See FilePlace.check. */
  checkInPlace(): void {
    this.#place.check();
  }
}
