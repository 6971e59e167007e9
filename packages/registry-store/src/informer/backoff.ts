import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import type { RandomInt } from '@apiserver/apimachinery/random';

const FIRST_MILLISECONDS = 800;
const LONGEST_MILLISECONDS = 30_000;
/** After this long without a failure, waiting starts small again. */
const RESET_MILLISECONDS = 120_000;

/**
 * Growing pauses between tries, doubled each time, each stretched by up to as much again so that many do not try at once.
 * Upstream: the backoff of k8s.io/client-go/tools/cache.Reflector
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #random: RandomInt;
  #next = FIRST_MILLISECONDS;
  #lastFailure = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, random: RandomInt) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Resolves when it is time to try again, or at once when `signal` aborts. */
  wait(signal: AbortSignal): Promise<void> {
    return sleep(this.#clock, this.#advance(), signal);
  }

  #advance(): number {
    const now = this.#clock.now();
    if (now - this.#lastFailure > RESET_MILLISECONDS) this.#next = FIRST_MILLISECONDS;
    this.#lastFailure = now;
    const base = this.#next;
    this.#next = Math.min(base * 2, LONGEST_MILLISECONDS);
    return base + this.#random(base);
  }
}
