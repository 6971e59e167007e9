import { type Clock, durationClock, TimeSlice } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';
import { noWorkQueueMetrics, type WorkQueueMetrics } from './work-queue-metrics.js';

/** Upstream: workqueue.DefaultTypedControllerRateLimiter */
const FIRST_RETRY_MS = 5;
const MAX_RETRY_MS = 1_000_000;
/** Keys start at once for so long in a turn of the event loop; later ones wait for another turn. */
const TURN_MS = 10;

/** Dependencies of a queue. */
export interface WorkQueueOptions {
  /** For the log. */
  readonly name: string;
  /** Processes one key. An error leads to a retry after a pause that doubles each time. */
  sync(key: string): Promise<void>;
  /** Pause before the first retry. Default: 5. */
  readonly firstRetryMilliseconds?: number;
  /** Maximum pause between two attempts. Default: 1,000 seconds. */
  readonly longestRetryMilliseconds?: number;
  /** Hears of each failure. Default: it is an error in the log. */
  readonly failed?: (key: string, error: unknown) => void;
  /** Number of retries before a key is dropped. Default: unlimited. */
  readonly retries?: number;
  /** Maximum number of keys that are processed at once. Default: unlimited. */
  readonly workers?: number;
  /** Default: none. */
  readonly metrics?: WorkQueueMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Once it has aborted, no key is processed any more. */
  readonly signal: AbortSignal;
}

/** Keys to process; each is processed once at a time, different ones concurrently. */
export interface WorkQueue {
  /** Adds a key now. A pause of the key goes on. */
  add(key: string): void;
  /** Adds a key after a pause, in milliseconds. Of several pauses of one key, the earliest end counts. */
  addAfter(key: string, milliseconds: number): void;
  /** Resolves when no key is queued or being processed; keys that wait for a retry do not count. */
  idle(): Promise<void>;
}

/**
 * Upstream: k8s.io/client-go/util/workqueue with its rate limiter per item. By default as many keys are under way as
 * there are, not five: so the writes of a first start share their commits.
 */
export function runWorkQueue(options: WorkQueueOptions): WorkQueue {
  return new KeyedWorkQueue(options);
}

/** A pause of a key. */
interface Pause {
  /** In the clock's milliseconds. */
  readonly end: number;
  cancel(): void;
}

class KeyedWorkQueue implements WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #clock: Clock;
  readonly #metrics: WorkQueueMetrics;
  readonly #busy = new Map<string, Promise<void>>();
  /** Keys that wait, with the time at which they were added. Of these, a busy key waits for its attempt, too. */
  readonly #waiting = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  readonly #pauses = new Map<string, Pause>();
  /** The time that all workers share. */
  readonly #slice = new TimeSlice();
  /** The time of a turn of the event loop, from its first key on. */
  #turn: TimeSlice | undefined;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#clock = durationClock(options.clock);
    this.#metrics = options.metrics ?? noWorkQueueMetrics;
    options.signal.addEventListener('abort', () => this.#stop());
  }

  add(key: string): void {
    if (this.#options.signal.aborted || this.#waiting.has(key)) return;
    this.#waiting.set(key, this.#clock.now());
    this.#metrics.added(this.#waiting.size);
    this.#startNext(key);
  }

  addAfter(key: string, milliseconds: number): void {
    const { signal } = this.#options;
    if (signal.aborted) return;
    this.#metrics.retried();
    if (milliseconds <= 0) {
      this.add(key);
      return;
    }
    const end = this.#clock.now() + milliseconds;
    const earlier = this.#pauses.get(key);
    if (earlier !== undefined && earlier.end <= end) return;
    earlier?.cancel();
    this.#pauses.set(key, { end, cancel: this.#clock.schedule(() => this.#resume(key), milliseconds) });
  }

  #resume(key: string): void {
    this.#pauses.delete(key);
    this.add(key);
  }

  async idle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all(this.#busy.values());
  }

  #stop(): void {
    for (const { cancel } of this.#pauses.values()) cancel();
  }

  /** Starts a waiting key if a worker is free. */
  #startNext(key: string): void {
    const { workers = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#busy.size >= workers || this.#busy.has(key)) return;
    // A key that its own `sync` adds is busy already.
    this.#busy.set(key, Promise.resolve());
    this.#busy.set(key, this.#run(key));
  }

  /** Processes a key, then hands its worker to the next one. */
  async #run(key: string): Promise<void> {
    // A key whose work ends within the turn may add the next one, and that one another.
    if (this.#isTurnOver()) await this.#slice.yield();
    if (!this.#options.signal.aborted) await this.#process(key);
    // Work that waits for nothing but promises would hold the event loop.
    if (this.#waiting.size > 0 && this.#slice.over) await this.#slice.yield();
    this.#busy.delete(key);
    if (this.#options.signal.aborted) return;
    this.#moveBehindOthers(key);
    const next = this.#firstWaiting();
    if (next !== undefined) this.#startNext(next);
  }

  #isTurnOver(): boolean {
    if (this.#turn === undefined) {
      this.#turn = new TimeSlice(TURN_MS);
      setImmediate(() => {
        this.#turn = undefined;
      });
    }
    return this.#turn.over;
  }

  /** A key that was added while it was busy would otherwise keep its worker from all other keys. */
  #moveBehindOthers(key: string): void {
    const added = this.#waiting.get(key);
    if (added === undefined) return;
    this.#waiting.delete(key);
    this.#waiting.set(key, added);
  }

  #firstWaiting(): string | undefined {
    for (const key of this.#waiting.keys()) if (!this.#busy.has(key)) return key;
    return undefined;
  }

  async #process(key: string): Promise<void> {
    const { sync } = this.#options;
    const started = this.#clock.now();
    const added = this.#waiting.get(key) ?? started;
    this.#waiting.delete(key);
    this.#metrics.started(key, this.#waiting.size, (started - added) / 1000);
    try {
      await sync.call(this.#options, key);
      this.#failures.delete(key);
    } catch (error) {
      this.#failed(key, error);
    } finally {
      this.#metrics.done(key, (this.#clock.now() - started) / 1000);
    }
  }

  #failed(key: string, error: unknown): void {
    const { name, logger, signal, retries } = this.#options;
    if (signal.aborted) return;
    const count = this.#failures.get(key) ?? 0;
    this.#report(key, error);
    if (count === retries) {
      logger.warning('Dropping key out of the queue', { controller: name, key });
      this.#failures.delete(key);
      return;
    }
    this.#failures.set(key, count + 1);
    const { firstRetryMilliseconds = FIRST_RETRY_MS, longestRetryMilliseconds = MAX_RETRY_MS } = this.#options;
    this.addAfter(key, Math.min(firstRetryMilliseconds * 2 ** count, longestRetryMilliseconds));
  }

  #report(key: string, error: unknown): void {
    const { name, logger, failed } = this.#options;
    if (failed === undefined) logger.error(error, 'Sync failed', { controller: name, key });
    else failed(key, error);
  }
}
