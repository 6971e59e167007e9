/** The history is cut to this share of its limit, so that it is not cut again at once. */
const KEPT = 0.75;
/** Approximate number of revisions at which the history can be cut. */
const MARKS = 64;

interface Mark {
  readonly revision: number;
  /** Bytes of all writes up to this revision, since the start. */
  readonly bytes: number;
}

/**
 * Tracks roughly how many bytes were written up to which revision since the start of this process. History of an
 * earlier process is not counted: it was within the same limit, and expires.
 */
export class HistorySize {
  readonly #max: number;
  #marks: Mark[] = [];
  #bytes = 0;
  /** Bytes before the first mark. */
  #cut = 0;
  /** Bytes at which the next check is due. */
  #limit: number;

  /** `max` is in bytes. */
  constructor(max: number) {
    this.#max = max;
    this.#limit = max;
  }

  add(revision: number, bytes: number): void {
    this.#bytes += bytes;
    const last = this.#marks.at(-1)?.bytes ?? this.#cut;
    if (this.#bytes - last >= this.#limit / MARKS) this.#marks.push({ revision, bytes: this.#bytes });
  }

  /** True if more than the limit has been written since the last cut. */
  get exceeded(): boolean {
    return this.#bytes - this.#cut > this.#limit;
  }

  /** The revision to cut at; undefined while the size is below both the limit and `least`. */
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
