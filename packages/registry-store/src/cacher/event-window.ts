import type { KubeObject } from '@apiserver/apimachinery';
import type { Change } from '../objects/change.js';

/** Bounds of a window; the byte bound yields to `minChanges`. */
export interface WindowBounds {
  readonly maxChanges: number;
  readonly maxBytes: number;
  readonly minChanges: number;
}

export const DEFAULT_WINDOW: WindowBounds = { maxChanges: 4096, maxBytes: 4 * 2 ** 20, minChanges: 128 };

/** The newest changes of a resource, so that watches resume without reading the store. */
export class EventWindow<T extends KubeObject> {
  readonly #bounds: WindowBounds;
  /** A queue: what lies before `#first` is gone. */
  #changes: (Change<T> | undefined)[] = [];
  #first = 0;
  #bytes = 0;
  #complete = 0;

  constructor(bounds: WindowBounds) {
    this.#bounds = bounds;
  }

  /** Every change after this revision is in the window. */
  get complete(): number {
    return this.#complete;
  }

  /** Empties the window; changes after `revision` will follow. */
  reset(revision: number): void {
    this.#changes = [];
    this.#first = 0;
    this.#bytes = 0;
    this.#complete = revision;
  }

  add(change: Change<T>): void {
    this.#changes.push(change);
    this.#bytes += change.bytes;
    while (
      this.#size > this.#bounds.maxChanges ||
      (this.#bytes > this.#bounds.maxBytes && this.#size > this.#bounds.minChanges)
    ) {
      this.#drop();
    }
  }

  /**
   * About `limit` changes after `revision`, oldest first, the last revision whole: etcd deletes all keys of a lease in one.
   * Undefined when some of them are gone.
   */
  after(revision: number, limit: number): readonly Change<T>[] | undefined {
    if (revision < this.#complete) return undefined;
    let low = this.#first;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle] as Change<T>).revision <= revision) low = middle + 1;
      else high = middle;
    }
    let end = Math.min(low + limit, this.#changes.length);
    while (end > low && this.#changes[end]?.revision === this.#changes[end - 1]?.revision) end++;
    return this.#changes.slice(low, end) as Change<T>[];
  }

  get #size(): number {
    return this.#changes.length - this.#first;
  }

  #drop(): void {
    const change = this.#changes[this.#first] as Change<T>;
    this.#changes[this.#first] = undefined;
    this.#first++;
    this.#bytes -= change.bytes;
    this.#complete = change.revision;
    // Moving the rest down each time would make every event cost the whole window.
    if (this.#first > this.#changes.length / 2) {
      this.#changes = this.#changes.slice(this.#first);
      this.#first = 0;
    }
  }
}
