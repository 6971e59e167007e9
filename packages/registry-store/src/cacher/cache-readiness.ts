import { type Clock, durationClock, runSliced, sliceTurn } from '@apiserver/apimachinery/clock';
import { newTooManyRequests, type StatusError } from '@apiserver/apimachinery/errors';
import { unobserved } from '@apiserver/apiserver-contracts';

/** Milliseconds that a request waits for a cache that is being filled: at most the retry delay of the response. */
const GRACE_MS = 1000;
/** Upstream: cacher.go (wait.Until around startCaching) */
const RETRY_MS = 1000;
/** Upstream: cacher/util.go calculateRetryAfterForUnreadyCache */
const RETRY_GROWTH = 0.06;
const MAX_RETRY_SECONDS = 30;
/** Requests that may go on in one turn of the event loop when the cache is filled. */
const MAX_AT_ONCE = 8;

export interface CacheReadinessOptions {
  readonly clock: Clock;
  /** Reads everything and follows changes from there. */
  fill(): Promise<void>;
}

/**
 * Tracks whether a cache is readable. It is filled on first use; after that it is refilled on every failure until it is
 * readable. Upstream: k8s.io/apiserver/pkg/storage/cacher/ready.go
 */
export class CacheReadiness implements Disposable {
  readonly #options: CacheReadinessOptions;
  #state: 'unready' | 'failed' | 'ready' | 'stopped' = 'unready';
  #filling: Promise<void> | undefined;
  /** Identifies the current feed: a feed that breaks during a fill invalidates it. */
  #feed = 0;
  readonly #clock: Clock;
  #unreadySince: number;
  #cancelRetry: (() => void) | undefined;
  #failure: unknown;
  /** Requests in `inTime`. */
  #waiting = 0;

  constructor(options: CacheReadinessOptions) {
    this.#options = options;
    this.#clock = durationClock(options.clock);
    this.#unreadySince = this.#clock.now();
  }

  get ready(): boolean {
    return this.#state === 'ready';
  }

  /** Error of the last fill; undefined after a success, or before the first. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Resolves when the cache is readable; rejects with the error of this attempt to fill it. */
  async filled(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#state === 'ready') return;
    if (this.#state === 'stopped') throw this.unreadyError();
    const filling = this.#begin();
    await (signal === undefined ? filling : orAborted(filling, signal));
  }

  /**
   * Reports whether the cache is readable now or within the grace period. Many who have waited go on in turns: thousands of
   * watches may wait for one cache.
   */
  async inTime(): Promise<boolean> {
    if (this.#state === 'failed' || this.#state === 'stopped') return false;
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const cancel = this.#options.clock.schedule(() => resolve(false), GRACE_MS);
    const filled = this.#begin().then(
      () => true,
      () => false,
    );
    this.#waiting++;
    try {
      const isFilled = await Promise.race([filled, late]);
      if (isFilled && this.#waiting > MAX_AT_ONCE) await sliceTurn();
      return isFilled;
    } finally {
      this.#waiting--;
      cancel();
    }
  }

  /** The error for requests that only the cache can serve. The suggested delay grows with the duration. */
  unreadyError(): StatusError {
    const seconds = Math.exp((RETRY_GROWTH * (this.#clock.now() - this.#unreadySince)) / 1000);
    return newTooManyRequests('storage is (re)initializing', Math.trunc(Math.min(seconds, MAX_RETRY_SECONDS)));
  }

  /** Called when the feed breaks: the cache is no longer current. */
  lost(): void {
    this.#feed++;
    if (this.#state !== 'ready') return;
    this.#state = 'unready';
    this.#unreadySince = this.#clock.now();
    void this.#begin();
  }

  /** From now on all requests are rejected; await `settled` for pending work. */
  [Symbol.dispose](): void {
    this.#state = 'stopped';
    this.#cancelRetry?.();
  }

  /** Resolves when no work is pending. */
  async settled(): Promise<void> {
    await this.#filling?.catch(() => {});
  }

  #begin(): Promise<void> {
    if (this.#filling !== undefined) return this.#filling;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    const filling = this.#fill();
    this.#filling = filling;
    filling.then(
      () => {
        this.#failure = undefined;
      },
      (error: unknown) => this.#retryLater(error),
    );
    return filling;
  }

  async #fill(): Promise<void> {
    const feed = this.#feed;
    try {
      // All clients wait for it and get its events, not only the first one.
      await unobserved(() => runSliced(undefined, () => this.#options.fill()));
      if (this.#feed !== feed) throw this.unreadyError();
      if (this.#state !== 'stopped') this.#state = 'ready';
    } finally {
      this.#filling = undefined;
    }
  }

  #retryLater(error: unknown): void {
    this.#failure = error;
    if (this.#state === 'stopped') return;
    this.#state = 'failed';
    this.#cancelRetry = this.#options.clock.schedule(() => {
      this.#cancelRetry = undefined;
      void this.#begin();
    }, RETRY_MS);
  }
}

/** Waits until the signal aborts at most; the work continues for others. */
async function orAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
