import type { KubeObject } from '@apiserver/apimachinery';
import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import type { StorageWatchOptions } from '@apiserver/apiserver-contracts';
import type { KeyValueStore } from '../key-value-store.js';
import { accessing, type ObjectFolder } from '../objects/object-folder.js';
import { newTooLargeResourceVersionError } from '../storage-error.js';
import type { CacheMetrics } from './cache-metrics.js';
import type { CacheState } from './cache-state.js';

/** How long a read waits for a version that has not come. Upstream: watch_cache.go blockTimeout */
const FRESHNESS_TIMEOUT_MS = 3000;
const FRESHNESS_POLL_MS = 20;
/** Upstream: watch_cache.go resourceVersionTooHighRetrySeconds */
const RETRY_SECONDS = 1;

export interface CacheFreshnessOptions<T extends KubeObject> {
  readonly folder: ObjectFolder<T>;
  readonly clock: Clock;
  readonly state: CacheState<T>;
  readonly metrics: CacheMetrics;
}

/**
 * Whether what a cache holds is new enough for a request. The feed may break while somebody waits: who asked has to look
 * whether the cache can still be read.
 */
export class CacheFreshness<T extends KubeObject> {
  readonly #folder: ObjectFolder<T>;
  readonly #clock: Clock;
  readonly #state: CacheState<T>;
  readonly #metrics: CacheMetrics;

  constructor({ folder, clock, state, metrics }: CacheFreshnessOptions<T>) {
    this.#folder = folder;
    this.#clock = clock;
    this.#state = state;
    this.#metrics = metrics;
  }

  /** False: the watch has to be the store's own, because the cache cannot tell how new it is or what it has forgotten. */
  async canWatch(requested: number, { sendInitialEvents, resourceVersion }: StorageWatchOptions): Promise<boolean> {
    const fromNow = sendInitialEvents === false && requested === 0;
    // Whoever says "0" takes what there is, and is not made to wait for the store.
    const fromState = sendInitialEvents === true && resourceVersion !== '0';
    if (fromState || fromNow) return await this.upToDate(requested);
    if (requested === 0 || this.#folder.store.freshness !== 'unknown') return true;
    return requested >= this.#state.window.complete;
  }

  /**
   * Waits until the cache has `minimum`; for 0, all that was committed before the call. False when there is no telling, or
   * not in time: the store has to be read. Who reads it at exactly `minimum` says so, and is told by it at once of what is
   * still to come. Throws TooLargeResourceVersion, Unavailable.
   */
  async upToDate(minimum: number, isExact = false): Promise<boolean> {
    if (isShared(this.#folder.store)) {
      if (minimum > 0 && this.#state.revision >= minimum) return true;
      if (this.#folder.store.freshness === 'unknown') return !isExact && (await this.#comes(minimum));
    }
    const behind = this.#state.catchUp();
    if (behind === undefined && this.#state.revision >= minimum) return true;
    const begun = this.#clock.now();
    try {
      if (behind !== undefined && !(await this.#inTime(behind))) return false;
      if (this.#state.revision < minimum) await this.#waitFor(minimum);
      return true;
    } finally {
      this.#metrics.waited((this.#clock.now() - begun) / 1000);
    }
  }

  /** Throws TooLargeResourceVersion, at once, for what the store itself has not reached. */
  async requireReached(revision: number): Promise<void> {
    if (this.#state.revision >= revision) return;
    const { kind } = this.#folder;
    const current = await this.#storeRevision();
    if (current < revision)
      throw newTooLargeResourceVersionError(kind.prefix, { minimum: revision, current, retryAfterSeconds: 0 });
  }

  /** Waits for what the store has not reached either, as upstream; false: the store has it, and the cache may never be told. */
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
    const { store, kind } = this.#folder;
    return accessing(kind.prefix, () => store.currentRevision());
  }

  /** Upstream goes to etcd when its cache is not fresh in time. Upstream: cacher/delegator.go GetList */
  async #inTime(work: Promise<void>): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const cancel = this.#clock.schedule(() => resolve(false), FRESHNESS_TIMEOUT_MS);
    try {
      return await Promise.race([accessing(this.#folder.kind.prefix, () => work).then(() => true), late]);
    } finally {
      cancel();
    }
  }

  async #waitFor(minimum: number): Promise<void> {
    const until = this.#clock.now() + FRESHNESS_TIMEOUT_MS;
    while (this.#state.revision < minimum) {
      if (this.#clock.now() >= until) {
        const current = this.#state.revision;
        throw newTooLargeResourceVersionError(this.#folder.kind.prefix, {
          minimum,
          current,
          retryAfterSeconds: RETRY_SECONDS,
        });
      }
      await sleep(this.#clock, FRESHNESS_POLL_MS);
    }
  }
}

/** True when others write to the store as well, so that a cache may be behind without knowing it. */
export function isShared({ freshness = 'immediate' }: KeyValueStore): boolean {
  return freshness !== 'immediate';
}
