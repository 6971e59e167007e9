/**
 * Lets through `burst` at once and `perSecond` in the long run.
 * Upstream: NewTokenBucketRateLimiter of k8s.io/client-go/util/flowcontrol
 */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #clock: { now(): number };
  #tokens: number;
  /** When `#tokens` was right, in milliseconds. */
  #time: number;

  constructor(perSecond: number, burst: number, clock: { now(): number }) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#time = clock.now();
  }

  /** False when there is none left. */
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
