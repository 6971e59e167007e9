import type { Clock } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';

const FIRST_RETRY_MS = 5;

/** Dependencies of a queue. */
export interface WorkQueueOptions {
  /** For the log. */
  readonly name: string;
  /** Processes one key. An error leads to a retry after a pause that doubles each time. */
  sync(key: string): Promise<void>;
  /** Maximum pause between two attempts. */
  readonly longestRetryMilliseconds: number;
  /** Number of retries before a key is dropped. Default: unlimited. */
  readonly retries?: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Once it has aborted, no key is processed any more. */
  readonly signal: AbortSignal;
}

/** Keys to process; each is processed once at a time, different ones concurrently. */
export interface WorkQueue {
  add(key: string): void;
  /** Resolves when no key is queued or being processed; keys that wait for a retry do not count. */
  idle(): Promise<void>;
}

/**
 * Upstream: k8s.io/client-go/util/workqueue with its rate limiter per item. As many keys are under way as there are, not
 * five: so the writes of a first start share their commits.
 */
export function runWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { sync, clock, logger, signal, longestRetryMilliseconds } = options;
  const busy = new Map<string, Promise<void>>();
  const again = new Set<string>();
  const failures = new Map<string, number>();

  const work = async (key: string): Promise<void> => {
    try {
      await sync(key);
      failures.delete(key);
    } catch (error) {
      if (signal.aborted) return;
      const count = failures.get(key) ?? 0;
      logger.error(error, 'Sync failed', { controller: options.name, key });
      if (count === options.retries) {
        logger.warning('Dropping key out of the queue', { controller: options.name, key });
        failures.delete(key);
        return;
      }
      failures.set(key, count + 1);
      clock.schedule(() => add(key), Math.min(FIRST_RETRY_MS * 2 ** count, longestRetryMilliseconds));
    }
  };
  const run = async (key: string): Promise<void> => {
    do {
      again.delete(key);
      await work(key);
    } while (again.has(key) && !signal.aborted);
    busy.delete(key);
  };
  const add = (key: string): void => {
    if (signal.aborted) return;
    if (busy.has(key)) again.add(key);
    else busy.set(key, run(key));
  };
  const idle = async (): Promise<void> => {
    while (busy.size > 0) await Promise.all(busy.values());
  };
  return { add, idle };
}
