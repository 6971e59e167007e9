import type { Clock } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';

/** Milliseconds. A start that waits longer for its etcd logs it. */
const SILENT_MS = 2_000;

/** Dependencies of the report of a slow wait. */
export interface SlowStart {
  /** The endpoints of the etcd. */
  readonly endpoints: readonly string[];
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info'>;
  /** Writes the log lines that are queued during the start. Absent: none are queued. */
  readonly showLog?: (() => void) | undefined;
}

/** Waits for work that needs an etcd, and logs it if it takes long. */
export async function logSlowWait<T>(
  { endpoints, clock, logger, showLog }: SlowStart,
  work: () => Promise<T>,
): Promise<T> {
  if (endpoints.length === 0) return await work();
  const cancel = clock.schedule(() => {
    logger.info('Waiting for etcd, which has not responded yet', { endpoints });
    showLog?.();
  }, SILENT_MS);
  try {
    return await work();
  } finally {
    cancel();
  }
}
