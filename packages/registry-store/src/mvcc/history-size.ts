/** The history is cut to this part of its bound, so that it is not cut again at once. */
const KEPT = 0.75;
/** How many places the history can be cut at, more or less. */
const MARKS = 64;

interface Mark {
  readonly revision: number;
  /** Of all writes up to and including that revision, since the start. */
  readonly bytes: number;
}

/**
 * How many bytes have been written at which revision, roughly, since this process has had the store. What history an
 * earlier process left is not counted: it was within the same bound, and time takes it.
 */
export class HistorySize {
  readonly #max: number;
  #marks: Mark[] = [];
  #bytes = 0;
  /** Of what was before the first mark. */
  #cut = 0;
  /** Looked at again from here on. */
  #limit: number;

  /** `max`: bytes. */
  constructor(max: number) {
    this.#max = max;
    this.#limit = max;
  }

  add(revision: number, bytes: number): void {
    this.#bytes += bytes;
    const last = this.#marks.at(-1)?.bytes ?? this.#cut;
    if (this.#bytes - last >= this.#limit / MARKS) this.#marks.push({ revision, bytes: this.#bytes });
  }

  /** More than the bound has been written since the last cut. */
  get exceeded(): boolean {
    return this.#bytes - this.#cut > this.#limit;
  }

  /** The revision to cut at; undefined when the bound is `least` at least, and that has not been reached. */
  cut(least: number): number | undefined {
    this.#limit = Math.max(this.#max, least);
    if (!this.exceeded) return undefined;
    const kept = this.#bytes - this.#limit * KEPT;
    const mark = this.#marks.findLast(({ bytes }) => bytes <= kept);
    if (mark === undefined) return undefined;
    this.#marks = this.#marks.filter(({ bytes }) => bytes > mark.bytes);
    this.#cut = mark.bytes;
    return mark.revision;
  }
}
