import type { KubeObject } from '@apiserver/apimachinery';
import type { Change } from '../objects/change.js';

/**
 * Bounds of a window. Its capacity doubles if changes younger than `freshMs` would be dropped, and is halved if a
 * quarter suffices. Only `minChanges` overrides `maxBytes`: dropped changes are read from the store's history.
 */
export interface WindowBounds {
  readonly minChanges: number;
  readonly maxChanges: number;
  readonly maxBytes: number;
  readonly freshMs: number;
}

/** Upstream: watch_cache.go defaultLowerBoundCapacity, defaultUpperBoundCapacity, DefaultEventFreshDuration */
export const DEFAULT_WINDOW: WindowBounds = {
  minChanges: 100,
  maxChanges: 100 * 1024,
  maxBytes: 4 * 2 ** 20,
  freshMs: 75_000,
};

/** Approximate overhead of a change and its events, besides the bytes of the objects. */
const CHANGE_BYTES = 250;

export interface EventWindowOptions {
  readonly bounds: WindowBounds;
  /** Milliseconds. */
  now(): number;
  resized(before: number, capacity: number): void;
}

/** The newest changes of a resource, so that watches resume without reading the store. */
export class EventWindow<T extends KubeObject> {
  readonly #options: EventWindowOptions;
  /** Parallel queues: elements before `#first` are removed. */
  #changes: (Change<T> | undefined)[] = [];
  #times: number[] = [];
  #first = 0;
  #bytes = 0;
  #complete = 0;
  #capacity: number;

  constructor(options: EventWindowOptions) {
    this.#options = options;
    this.#capacity = options.bounds.minChanges;
    options.resized(this.#capacity, this.#capacity);
  }

  /** The window has every change after this revision. */
  get complete(): number {
    return this.#complete;
  }

  /** Approximate memory that the changes retain: at least the superseded states of their objects. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Empties the window; changes after `revision` will follow. */
  reset(revision: number): void {
    this.#changes = [];
    this.#times = [];
    this.#first = 0;
    this.#bytes = 0;
    this.#complete = revision;
  }

  /** Changes of a restore are not kept: nobody resumes before it. */
  add(change: Change<T>): void {
    if (change.revision <= this.#complete) return;
    const { maxBytes, minChanges } = this.#options.bounds;
    const now = this.#options.now();
    this.#resize(now);
    this.#changes.push(change);
    this.#times.push(now);
    this.#bytes += change.bytes + CHANGE_BYTES;
    while (this.size > this.#capacity || (this.#bytes > maxBytes && this.size > minChanges)) this.#drop();
  }

  /**
   * About `limit` changes after `revision`, oldest first. The last revision is complete: etcd deletes all keys of a
   * lease in one. Undefined if some of them are gone.
   */
  after(revision: number, limit: number): readonly Change<T>[] | undefined {
    if (revision < this.#complete) return undefined;
    const low = this.#indexAfter(revision);
    let end = Math.min(low + limit, this.#changes.length);
    while (end > low && this.#changes[end]?.revision === this.#changes[end - 1]?.revision) end++;
    return this.#changes.slice(low, end) as Change<T>[];
  }

  /** The change of a key at exactly this revision; undefined if it is not there, or no longer. */
  changeOf(key: string, revision: number): Change<T> | undefined {
    for (let i = this.#indexAfter(revision - 1); this.#changes[i]?.revision === revision; i++) {
      if (this.#changes[i]?.key === key) return this.#changes[i];
    }
    return undefined;
  }

  /** Index of the first change after a revision. */
  #indexAfter(revision: number): number {
    let low = this.#first;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle] as Change<T>).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  get size(): number {
    return this.#changes.length - this.#first;
  }

  /** Upstream: watch_cache.go resizeCacheLocked */
  #resize(now: number): void {
    if (this.size < this.#capacity) return;
    const { freshMs, maxChanges, minChanges } = this.#options.bounds;
    const age = (at: number): number => now - (this.#times[at] ?? now);
    if (age(this.#first) < freshMs) this.#setCapacity(Math.min(this.#capacity * 2, maxChanges));
    else if (age(this.#times.length - (this.#capacity >>> 2)) > freshMs) {
      this.#setCapacity(Math.max(this.#capacity >>> 1, minChanges));
    }
  }

  #setCapacity(capacity: number): void {
    if (capacity === this.#capacity) return;
    this.#options.resized(this.#capacity, capacity);
    this.#capacity = capacity;
  }

  #drop(): void {
    const change = this.#changes[this.#first] as Change<T>;
    this.#changes[this.#first] = undefined;
    this.#first++;
    this.#bytes -= change.bytes + CHANGE_BYTES;
    this.#complete = change.revision;
    // Shifting the rest each time would make every event cost the whole window.
    if (this.#first > this.#changes.length / 2) {
      this.#changes = this.#changes.slice(this.#first);
      this.#times = this.#times.slice(this.#first);
      this.#first = 0;
    }
  }
}
