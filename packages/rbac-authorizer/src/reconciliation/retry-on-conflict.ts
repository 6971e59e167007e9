import { type Clock, sleep } from '@apiserver/apimachinery/clock';
import { isConflict } from '@apiserver/apimachinery/errors';

const TRIES = 4;
const FIRST_PAUSE_MS = 10;
const FACTOR = 5;

/**
 * Retries after 10, 50 and 250 ms while the call fails with a conflict; then throws the conflict.
 * Upstream: RetryOnConflict with DefaultBackoff in k8s.io/client-go/util/retry
 */
export async function retryOnConflict<T>(clock: Clock, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await call();
    } catch (error) {
      if (!isConflict(error) || tried === TRIES || signal.aborted) throw error;
    }
    await sleep(clock, FIRST_PAUSE_MS * FACTOR ** (tried - 1), signal);
  }
}
