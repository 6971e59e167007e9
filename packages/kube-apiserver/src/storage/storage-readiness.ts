import { type Clock, JoinedSignal, sleep } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { PostStartHook } from '@apiserver/generic-server';
import type { StorageProvider } from '@apiserver/registry-store';

const PAUSE_MS = 1000;

/** Dependencies of the hook. */
export interface StorageReadinessOptions {
  readonly provider: Pick<StorageProvider, 'ready'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warning'>;
  /** Milliseconds. Upstream flag: --storage-initialization-timeout */
  readonly timeout: number;
}

/**
 * Delays readiness until all watch caches are filled, at most for the timeout: later reads wait for their caches.
 * Upstream: StorageReadinessHook (k8s.io/apiserver/pkg/server/storage_readiness_hook.go)
 */
export function storageReadinessHook({ provider, clock, logger, timeout }: StorageReadinessOptions): PostStartHook {
  return async ({ signal }) => {
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const cancel = clock.schedule(() => resolve('late'), timeout);
    const stop = new AbortController();
    const joined = new JoinedSignal(signal, stop.signal);
    try {
      const filled = untilReady(provider, clock, joined.signal);
      if ((await Promise.race([filled, late])) === 'late') {
        logger.warning('Deadline exceeded while waiting for storage readiness... ignoring');
      }
    } finally {
      cancel();
      stop.abort();
    }
  };
}

/** Resolves when all watch caches are filled, or `signal` aborts. */
export async function untilReady(
  provider: Pick<StorageProvider, 'ready'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await provider.ready(signal);
      return;
    } catch {
      await sleep(clock, PAUSE_MS);
    }
  }
}
