import { type Clock, durationClock } from './clock.js';
import { hasElapsed } from './has-elapsed.js';

interface Entry<V> {
  readonly value: V;
  /** In the clock's milliseconds. */
  readonly setAt: number;
  readonly milliseconds: number;
  readonly weight: number;
}

/** Bounds of a cache whose values differ in size. */
export interface WeightBound<V> {
  /** Of all values together. A value that is heavier alone is not kept. */
  readonly maxWeight: number;
  /** For example in bytes. */
  weightOf(value: V): number;
}

/** A bound of values by the characters of their JSON text. */
export function boundedByText<V>(maxWeight: number): WeightBound<V> {
  return { maxWeight, weightOf: (value) => JSON.stringify(value).length };
}

/**
 * A bounded cache whose values expire: the least recently used one is evicted first. Nothing runs in the background.
 * Upstream: LRUExpireCache of k8s.io/apimachinery/pkg/util/cache
 */
export class ExpiringCache<V> {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #maxEntries: number;
  readonly #bound: WeightBound<V> | undefined;
  #weight = 0;
  /** The longest unused entry first. */
  readonly #entries = new Map<string, Entry<V>>();

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>, maxEntries: number, bound?: WeightBound<V>) {
    this.#clock = durationClock(clock);
    this.#maxEntries = maxEntries;
    this.#bound = bound;
  }

  /** Undefined when the key is unknown, its time is over, or the clock was set back. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (hasElapsed(this.#clock, entry.setAt, entry.milliseconds)) {
      this.#delete(key, entry);
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keeps `value` for `milliseconds`; 0 keeps nothing. */
  set(key: string, value: V, milliseconds: number): void {
    const old = this.#entries.get(key);
    if (old !== undefined) this.#delete(key, old);
    if (milliseconds <= 0) return;
    const weight = this.#bound?.weightOf(value) ?? 0;
    if (weight > this.#maxWeight) return;
    this.#entries.set(key, { value, setAt: this.#clock.now(), milliseconds, weight });
    this.#weight += weight;
    while (this.#entries.size > this.#maxEntries || this.#weight > this.#maxWeight) {
      const [oldest] = this.#entries;
      if (oldest === undefined) return;
      this.#delete(...oldest);
    }
  }

  get #maxWeight(): number {
    return this.#bound?.maxWeight ?? 0;
  }

  #delete(key: string, { weight }: Entry<V>): void {
    this.#entries.delete(key);
    this.#weight -= weight;
  }
}
