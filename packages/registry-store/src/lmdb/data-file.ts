import { statSync } from 'node:fs';
import { KeyValueError } from '../key-value-error.js';
import type { LmdbDatabase } from './environment.js';

/** Interval of checks that the file still exists, in milliseconds. */
const LOOK_INTERVAL = 1000;

/** An open data file. */
export class DataFile {
  readonly database: LmdbDatabase;
  readonly path: string;
  readonly #inode: number;
  #nextLook = performance.now() + LOOK_INTERVAL;

  /** `database` is opened on the file at `path`. */
  constructor(database: LmdbDatabase, path: string) {
    this.database = database;
    this.path = path;
    this.#inode = statSync(path).ino;
  }

  /** Bytes; 0 if the file is missing or inaccessible, which the next commits report. */
  size(): number {
    try {
      return statSync(this.path).size;
    } catch {
      return 0;
    }
  }

  /**
   * Throws Unavailable if the file has been removed or replaced, so that later writes would be lost. It checks once a
   * second at most.
   */
  checkInPlace(): void {
    const now = performance.now();
    if (now < this.#nextLook) return;
    this.#nextLook = now + LOOK_INTERVAL;
    if (statSync(this.path, { throwIfNoEntry: false })?.ino === this.#inode) return;
    throw new KeyValueError('Unavailable', `${this.path} was removed or replaced while it was in use`);
  }
}
