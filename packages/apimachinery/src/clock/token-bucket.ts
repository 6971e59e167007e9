import { type Clock, durationClock } from './clock.js';

/**
 * Admits `burst` events at once and `perSecond` on average.
 * Upstream: NewTokenBucketRateLimiter of k8s.io/client-go/util/flowcontrol
 */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #clock: Pick<Clock, 'now'>;
  #tokens: number;
  /** The time of the last update of `#tokens`, in milliseconds. */
  #time: number;

  constructor(perSecond: number, burst: number, clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#clock = durationClock(clock);
    this.#tokens = burst;
    this.#time = this.#clock.now();
  }

  /** Takes a token. False if none is left. */
  take(): boolean {
    const now = this.#clock.now();
    const gained = (Math.max(0, now - this.#time) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#burst, this.#tokens + gained);
    this.#time = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
