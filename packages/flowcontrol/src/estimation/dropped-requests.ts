/** The maximum of Retry-After, in seconds. */
const MAX_SECONDS = 32;

/** Requests that were dropped in one second. */
interface Second {
  readonly second: number;
  readonly requests: number;
}

/**
 * Tells clients for how long to wait after a 429, by the number of requests that were dropped lately.
 * Upstream: k8s.io/apiserver/pkg/util/flowcontrol/dropped_requests_tracker.go
 */
export class DroppedRequests {
  #history: Second[] = [];
  #current = 0;
  #count = 0;
  #lastRise = 0;
  /** Seconds to wait. */
  retryAfter = 1;

  /** `second`: of the present time. */
  record(second: number): void {
    if (second === this.#current) {
      this.#count++;
      return;
    }
    this.#history.push({ second: this.#current, requests: this.#count });
    const kept = Math.min(2 * this.retryAfter, MAX_SECONDS);
    this.#history = this.#history.filter((entry) => second - entry.second <= kept);
    this.#current = second;
    this.#count = 1;
    this.#adjust(second);
  }

  /** Doubles the pause while many requests are dropped, and shortens it step by step afterwards. */
  #adjust(now: number): void {
    const { retryAfter } = this;
    const recent = this.#history.filter(({ second }) => now - second <= retryAfter && second < now);
    const dropped = recent.reduce((sum, { requests }) => sum + requests, 0);
    if (now - this.#lastRise >= retryAfter && dropped >= 3 * retryAfter) {
      this.retryAfter = Math.min(2 * retryAfter, MAX_SECONDS);
      this.#lastRise = now;
    } else if (dropped < retryAfter && retryAfter > 1) this.retryAfter--;
  }
}
