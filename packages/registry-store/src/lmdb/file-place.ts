import { statSync } from 'node:fs';
import { KeyValueError } from '../key-value-error.js';

/** Interval of checks that the file still exists, in milliseconds. */
const LOOK_INTERVAL_MS = 1000;

/** The place of a file that is open. */
export class FilePlace {
  readonly #path: string;
  readonly #inode: number;
  #nextLook = performance.now() + LOOK_INTERVAL_MS;

  /** The file is at `path`. */
  constructor(path: string) {
    this.#path = path;
    this.#inode = statSync(path).ino;
  }

  /** False if the file has been removed or replaced. */
  isKept(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  /**
   * Throws Unavailable if the file has been removed or replaced, so that later writes would be lost. It checks once a
   * second at most.
   */
  check(): void {
    const now = performance.now();
    if (now < this.#nextLook) return;
    this.#nextLook = now + LOOK_INTERVAL_MS;
    if (this.isKept()) return;
    throw new KeyValueError('Unavailable', `${this.#path} was removed or replaced while it was in use`);
  }
}
