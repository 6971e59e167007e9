import type { Clock } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';

const FIRST_RETRY_MS = 5;

/** What a queue works with. */
export interface WorkQueueOptions {
  /** For the log. */
  readonly name: string;
  /** Does the work of one key. A throw has it tried again after a pause that doubles each time. */
  sync(key: string): Promise<void>;
  /** The longest pause between two tries. */
  readonly longestRetryMilliseconds: number;
  /** How often a key is tried again before it is dropped. Default: for ever. */
  readonly retries?: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Nothing is begun any more once it has aborted. */
  readonly signal: AbortSignal;
}

/** Keys to work on; each is worked on once at a time, different ones side by side. */
export interface WorkQueue {
  add(key: string): void;
  /** Resolves when nothing is under way or waiting; what waits for another try does not count. */
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
