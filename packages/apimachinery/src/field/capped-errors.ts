/**
 * Maximum number of errors that a request collects. Upstream has no bound: a body of 3 MiB can be wrong in a million
 * places.
 */
export const MAX_ERRORS = 1_000;

/**
 * Maximum UTF-16 units of all errors of a request together. A few errors suffice to repeat a large name or value very
 * often.
 */
export const MAX_ERROR_TEXT = 256 * 1024;

/** The functions on errors that CappedErrors needs. */
export interface ErrorCap<T> {
  /** UTF-16 units of the error's text. It need not be exact, but must grow with the client's input. */
  sizeOf(error: T): number;
  /** The last error, which represents `count` further ones. */
  further(count: number): T;
}

/**
 * A bounded list of errors: the first ones are kept, those beyond `MAX_ERRORS` or `MAX_ERROR_TEXT` are only counted.
 * The first error is always kept. The list is a prefix: after one counted error no other is kept.
 *
 * Code that creates many errors checks `isFull` before each one and calls `skip` instead, so that its text is never
 * built.
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

  /** Counts errors that the caller did not create. Only allowed once the list is full. */
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
