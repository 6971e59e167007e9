import { statSync } from 'node:fs';
import { KeyValueError } from '../key-value-error.js';
import type { LmdbDatabase } from './environment.js';

/** How often it is looked at whether the file is still there, in milliseconds. */
const LOOK_INTERVAL = 1000;

/** An open data file. */
export class DataFile {
  readonly database: LmdbDatabase;
  readonly path: string;
  readonly #inode: number;
  #nextLook = performance.now() + LOOK_INTERVAL;

  /** `database` has opened the file at `path`. */
  constructor(database: LmdbDatabase, path: string) {
    this.database = database;
    this.path = path;
    this.#inode = statSync(path).ino;
  }

  /** Bytes; 0 when the file has gone or cannot be asked, of which the next commits tell. */
  size(): number {
    try {
      return statSync(this.path).size;
    } catch {
      return 0;
    }
  }

  /**
   * Throws Unavailable when the file has been removed or replaced, so that what is written to it is lost with the process.
   * It looks once a second at most.
   */
  checkInPlace(): void {
    const now = performance.now();
    if (now < this.#nextLook) return;
    this.#nextLook = now + LOOK_INTERVAL;
    if (statSync(this.path, { throwIfNoEntry: false })?.ino === this.#inode) return;
    throw new KeyValueError('Unavailable', `${this.path} was removed or replaced while it was in use`);
  }
}
