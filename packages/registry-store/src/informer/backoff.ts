import { type Clock, durationClock, sleep } from '@apiserver/apimachinery/clock';
import type { RandomInt } from '@apiserver/apimachinery/random';

const FIRST_MS = 800;
const MAX_PAUSE_MS = 30_000;
/** Time without a failure after which pauses start again from the shortest. */
const RESET_MS = 120_000;

/**
 * Growing pauses between retries: each is doubled, and stretched up to twofold at random so that clients do not retry
 * at once.
 * Upstream: the backoff of k8s.io/client-go/tools/cache.Reflector
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #random: RandomInt;
  #next = FIRST_MS;
  #lastFailure = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, random: RandomInt) {
    this.#clock = durationClock(clock);
    this.#random = random;
  }

  /** Resolves when the pause is over, or at once when `signal` aborts. */
  wait(signal: AbortSignal): Promise<void> {
    return sleep(this.#clock, this.#advance(), signal);
  }

  #advance(): number {
    const now = this.#clock.now();
    if (now - this.#lastFailure > RESET_MS) this.#next = FIRST_MS;
    this.#lastFailure = now;
    const base = this.#next;
    this.#next = Math.min(base * 2, MAX_PAUSE_MS);
    return base + this.#random(base);
  }
}
