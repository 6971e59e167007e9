import { isConflict } from '@apiserver/apimachinery/errors';

/** Delays and randomness of retries after a conflict. */
export interface RetryPolicy {
  /** In [0, 1). */
  readonly random: () => number;
  /** Resolves after the delay. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Upstream: EvictionsRetry of pkg/registry/core/pod/storage/eviction.go */
const ATTEMPTS = 20;
const PAUSE_MS = 500;
const JITTER = 0.1;

/** Calls `attempt` until it ends without a conflict, at most 20 times; throws the last conflict. */
export async function retryConflicts<T>(attempt: () => Promise<T>, { random, sleep }: RetryPolicy): Promise<T> {
  for (let left = ATTEMPTS - 1; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 0 || !isConflict(error)) throw error;
    }
    await sleep(PAUSE_MS * (1 + random() * JITTER));
  }
}
