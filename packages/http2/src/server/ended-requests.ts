import { AsyncLocalStorage } from 'node:async_hooks';

/** Milliseconds of one turn of the event loop. */
const TURN_MS = 2;

/** An open request whose connection has ended. */
export interface EndedRequest {
  /** Tells those who serve it. */
  tell(): void;
}

/**
 * Tells requests that their connection has ended, in slices. One poll of the system may bring the ends of hundreds of
 * connections with a hundred open requests each.
 */
export class EndedRequests {
  readonly #waiting: EndedRequest[] = [];
  /** Of the first one in `#waiting`. */
  #next = 0;
  /** Milliseconds that this turn has taken so far. */
  #used = 0;
  #isScheduled = false;

  /** Tells the requests in their order, now or in later turns. */
  tell(requests: readonly EndedRequest[]): void {
    for (const request of requests) this.#waiting.push(request);
    this.#tellNext();
  }

  #tellNext(): void {
    const begun = performance.now() - this.#used;
    try {
      while (this.#used < TURN_MS && this.#next < this.#waiting.length) {
        this.#waiting[this.#next++]?.tell();
        this.#used = performance.now() - begun;
      }
    } finally {
      this.#goOn();
    }
  }

  /** Also after a request that threw. */
  #goOn(): void {
    if (this.#next === this.#waiting.length) {
      this.#waiting.length = 0;
      this.#next = 0;
    }
    if (this.#isScheduled || (this.#used === 0 && this.#waiting.length === 0)) return;
    this.#isScheduled = true;
    setImmediate(this.#turn);
  }

  /** Later turns must not run in the context of the request that scheduled them. */
  readonly #turn = AsyncLocalStorage.bind((): void => {
    this.#isScheduled = false;
    this.#used = 0;
    this.#tellNext();
  });
}
