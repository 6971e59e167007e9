import type { KubeObject } from '@apiserver/apimachinery';
import { type Clock, durationClock, sleep } from '@apiserver/apimachinery/clock';
import { currentSpan, type StorageWatchOptions } from '@apiserver/apiserver-contracts';
import type { KeyValueStore } from '../key-value-store.js';
import { accessing, type ResourceContext } from '../objects/resource-context.js';
import { newTooLargeResourceVersionError } from '../storage-error.js';
import type { CacheMetrics } from './cache-metrics.js';
import type { CacheState } from './cache-state.js';

/** Milliseconds that a read waits for a version. Upstream: watch_cache.go blockTimeout */
const FRESHNESS_TIMEOUT_MS = 3000;
const FRESHNESS_POLL_MS = 20;
/** Upstream: watch_cache.go resourceVersionTooHighRetrySeconds */
const RETRY_SECONDS = 1;

export interface CacheFreshnessOptions<T extends KubeObject> {
  readonly context: ResourceContext<T>;
  readonly clock: Clock;
  readonly state: CacheState<T>;
  readonly metrics: CacheMetrics;
}

/**
 * Decides whether a cache is fresh enough for a request. The feed may break during a wait: callers must check
 * afterwards that the cache is still readable.
 */
export class CacheFreshness<T extends KubeObject> {
  readonly #context: ResourceContext<T>;
  readonly #clock: Clock;
  readonly #state: CacheState<T>;
  readonly #metrics: CacheMetrics;

  constructor({ context, clock, state, metrics }: CacheFreshnessOptions<T>) {
    this.#context = context;
    this.#clock = durationClock(clock);
    this.#state = state;
    this.#metrics = metrics;
  }

  /** False if the watch must go to the store, because the cache's freshness is unknown or its history is too short. */
  async canWatch(requested: number, { sendInitialEvents, resourceVersion }: StorageWatchOptions): Promise<boolean> {
    const fromNow = sendInitialEvents === false && requested === 0;
    // Version "0" accepts any state, and does not wait for the store.
    const fromState = sendInitialEvents === true && resourceVersion !== '0';
    if (fromState || fromNow) return await this.upToDate(requested);
    if (requested === 0 || this.#context.store.freshness !== 'unknown') return true;
    return requested >= this.#state.window.complete;
  }

  /** Reports whether the cache is known to have everything committed, and nothing has to be awaited for that. */
  isCurrent(): boolean {
    return !isShared(this.#context.store) && this.#state.catchUp() === undefined;
  }

  /**
   * Waits until the cache has `minimum`; 0 means everything committed before the call. False if this is unknown or
   * takes too long: read the store then. A caller that reads exactly at `minimum` sets `isExact`; a future revision
   * then fails at once. Throws TooLargeResourceVersion, Unavailable.
   */
  async upToDate(minimum: number, isExact = false): Promise<boolean> {
    if (isShared(this.#context.store)) {
      if (minimum > 0 && this.#state.revision >= minimum) return true;
      if (this.#context.store.freshness === 'unknown') return !isExact && (await this.#comes(minimum));
    }
    const behind = this.#state.catchUp();
    if (behind === undefined && this.#state.revision >= minimum) {
      currentSpan()?.addEvent('watchCache fresh enough');
      return true;
    }
    const begun = this.#clock.now();
    try {
      if (behind !== undefined && !(await this.#inTime(behind))) return false;
      if (this.#state.revision < minimum) await this.#waitFor(minimum);
      currentSpan()?.addEvent('watchCache fresh enough');
      return true;
    } finally {
      this.#metrics.waited((this.#clock.now() - begun) / 1000);
    }
  }

  /** Throws TooLargeResourceVersion at once if the store has not reached the revision. */
  async requireReached(revision: number): Promise<void> {
    if (this.#state.revision >= revision) return;
    const { kind } = this.#context;
    const current = await this.#storeRevision();
    if (current < revision)
      throw newTooLargeResourceVersionError(kind.prefix, { minimum: revision, current, retryAfterSeconds: 0 });
  }

  /**
   * Waits for a revision that the store has not reached either, as upstream. False if the store has it: the cache may
   * never receive it.
   */
  async #comes(minimum: number): Promise<boolean> {
    if (minimum === 0 || (await this.#storeRevision()) >= minimum) return false;
    const begun = this.#clock.now();
    try {
      await this.#waitFor(minimum);
      return true;
    } finally {
      this.#metrics.waited((this.#clock.now() - begun) / 1000);
    }
  }

  #storeRevision(): Promise<number> {
    const { store, kind } = this.#context;
    return accessing(kind.prefix, () => store.currentRevision());
  }

  /** Upstream reads etcd when its cache does not become fresh in time. Upstream: cacher/delegator.go GetList */
  async #inTime(work: Promise<void>): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const cancel = this.#clock.schedule(() => resolve(false), FRESHNESS_TIMEOUT_MS);
    try {
      return await Promise.race([accessing(this.#context.kind.prefix, () => work).then(() => true), late]);
    } finally {
      cancel();
    }
  }

  async #waitFor(minimum: number): Promise<void> {
    const until = this.#clock.now() + FRESHNESS_TIMEOUT_MS;
    // A held clock does not pass: then the polls are counted.
    for (let waited = 0; this.#state.revision < minimum; waited += FRESHNESS_POLL_MS) {
      if (this.#clock.now() >= until || waited >= FRESHNESS_TIMEOUT_MS) {
        const current = this.#state.revision;
        throw newTooLargeResourceVersionError(this.#context.kind.prefix, {
          minimum,
          current,
          retryAfterSeconds: RETRY_SECONDS,
        });
      }
      await sleep(this.#clock, FRESHNESS_POLL_MS);
    }
  }
}

/** True if others write to the store too, so that a cache may be unknowingly behind. */
export function isShared({ freshness = 'immediate' }: KeyValueStore): boolean {
  return freshness !== 'immediate';
}
