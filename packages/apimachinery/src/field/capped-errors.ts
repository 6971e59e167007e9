/** How many errors a request collects. Upstream has no bound here: a body of 3 MiB can be wrong in a million places. */
export const MAX_ERRORS = 1_000;

/** UTF-16 units of all errors of a request together. A few errors suffice to repeat a large name or value very often. */
export const MAX_ERROR_TEXT = 256 * 1024;

/** What CappedErrors needs to know of its errors. */
export interface ErrorCap<T> {
  /** UTF-16 units of the error's text. It need not be exact, but must grow with what the client wrote. */
  sizeOf(error: T): number;
  /** The last error, which stands for `count` further ones. */
  further(count: number): T;
}

/**
 * A list of errors that stops growing: the first ones are kept, those beyond `MAX_ERRORS` or `MAX_ERROR_TEXT` are
 * counted. The first error is always kept, and none is kept after one that was not: the list is a prefix.
 *
 * Whoever makes many errors asks `isFull` before each one, and calls `skip` in its place, so that its text is never made.
 */
export class CappedErrors<T> {
  readonly #cap: ErrorCap<T>;
  readonly #kept: T[] = [];
  #size = 0;
  #further = 0;

  constructor(cap: ErrorCap<T>) {
    this.#cap = cap;
  }

  /** True when further errors are only counted. */
  get isFull(): boolean {
    return this.#further > 0 || this.#kept.length >= MAX_ERRORS || this.#size >= MAX_ERROR_TEXT;
  }

  add(error: T): void {
    const size = this.#size + this.#cap.sizeOf(error);
    if (this.isFull || (this.#kept.length > 0 && size > MAX_ERROR_TEXT)) {
      this.#further++;
      return;
    }
    this.#size = size;
    this.#kept.push(error);
  }

  /** Counts errors that the caller did not make. Only a full list may be given any. */
  skip(count = 1): void {
    this.#further += count;
  }

  /** The kept errors, and one more error for the others if there are any. */
  list(): T[] {
    return this.#further === 0 ? [...this.#kept] : [...this.#kept, this.#cap.further(this.#further)];
  }
}

/** A cap for errors that are plain texts. */
export const TEXT_CAP: ErrorCap<string> = {
  sizeOf: (text) => text.length,
  further: (count) => `and ${count} more ${count === 1 ? 'error' : 'errors'}`,
};
