import { type Clock, durationClock } from './clock.js';
import { hasElapsed } from './has-elapsed.js';

interface Entry<V> {
  readonly value: V;
  /** In the clock's milliseconds. */
  readonly setAt: number;
  readonly milliseconds: number;
}

/**
 * A bounded cache whose values expire: the least recently used one is evicted first. Nothing runs in the background.
 * Upstream: LRUExpireCache of k8s.io/apimachinery/pkg/util/cache
 */
export class ExpiringCache<V> {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #maxEntries: number;
  /** The longest unused entry first. */
  readonly #entries = new Map<string, Entry<V>>();

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>, maxEntries: number) {
    this.#clock = durationClock(clock);
    this.#maxEntries = maxEntries;
  }

  /** Undefined when the key is unknown, its time is over, or the clock was set back. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (hasElapsed(this.#clock, entry.setAt, entry.milliseconds)) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keeps `value` for `milliseconds`; 0 keeps nothing. */
  set(key: string, value: V, milliseconds: number): void {
    this.#entries.delete(key);
    if (milliseconds <= 0) return;
    this.#entries.set(key, { value, setAt: this.#clock.now(), milliseconds });
    if (this.#entries.size <= this.#maxEntries) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
