import type { Clock } from '@apiserver/apimachinery/clock';
import { newTooManyRequests, type StatusError } from '@apiserver/apimachinery/errors';

/** A request waits that long for a cache that is being filled: no longer than the answer would make its client wait. */
const GRACE_MS = 1000;
/** Upstream: cacher.go (wait.Until around startCaching) */
const RETRY_MS = 1000;
/** Upstream: cacher/util.go calculateRetryAfterForUnreadyCache */
const RETRY_GROWTH = 0.06;
const MAX_RETRY_SECONDS = 30;

export interface CacheReadinessOptions {
  readonly clock: Clock;
  /** Reads everything and follows from there. */
  fill(): Promise<void>;
}

/**
 * Whether a cache can be read. It is filled when somebody first asks; from then on, whatever fails or breaks, again and
 * again until it can be read. Upstream: k8s.io/apiserver/pkg/storage/cacher/ready.go
 */
export class CacheReadiness implements Disposable {
  readonly #options: CacheReadinessOptions;
  #state: 'unready' | 'failed' | 'ready' | 'stopped' = 'unready';
  #filling: Promise<void> | undefined;
  /** Told apart from earlier ones: a feed that breaks while the cache is being filled spoils it. */
  #feed = 0;
  #unreadySince: number;
  #cancelRetry: (() => void) | undefined;
  #failure: unknown;

  constructor(options: CacheReadinessOptions) {
    this.#options = options;
    this.#unreadySince = options.clock.now();
  }

  get ready(): boolean {
    return this.#state === 'ready';
  }

  /** Why it could not be filled the last time; undefined: it could, or has not been tried. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Resolves when the cache can be read; rejects with what this attempt to fill it failed with. */
  async filled(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#state === 'ready') return;
    if (this.#state === 'stopped') throw this.unreadyError();
    const filling = this.#begin();
    await (signal === undefined ? filling : orAborted(filling, signal));
  }

  /** Whether the cache can be read at once or within a moment. */
  async inTime(): Promise<boolean> {
    if (this.#state === 'failed' || this.#state === 'stopped') return false;
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const cancel = this.#options.clock.schedule(() => resolve(false), GRACE_MS);
    const filled = this.#begin().then(
      () => true,
      () => false,
    );
    try {
      return await Promise.race([filled, late]);
    } finally {
      cancel();
    }
  }

  /** What those are told whom only the cache can answer; the longer it takes, the later they shall come back. */
  unreadyError(): StatusError {
    const seconds = Math.exp((RETRY_GROWTH * (this.#options.clock.now() - this.#unreadySince)) / 1000);
    return newTooManyRequests('storage is (re)initializing', Math.trunc(Math.min(seconds, MAX_RETRY_SECONDS)));
  }

  /** The feed broke: what the cache has is no longer kept up. */
  lost(): void {
    this.#feed++;
    if (this.#state !== 'ready') return;
    this.#state = 'unready';
    this.#unreadySince = this.#options.clock.now();
    void this.#begin();
  }

  /** Resolves nothing and refuses everything from now on; what is under way may still be waited for with `settled`. */
  [Symbol.dispose](): void {
    this.#state = 'stopped';
    this.#cancelRetry?.();
  }

  /** Resolves when nothing is under way. */
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
      await this.#options.fill();
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

/** Waits no longer than the signal allows; the work goes on for others. */
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
