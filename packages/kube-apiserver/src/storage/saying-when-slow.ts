import type { Clock } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';

/** Milliseconds: a start that waits longer for its etcd says so. */
const SILENT_MS = 2_000;

/** The parts that report a slow wait. */
export interface SlowStart {
  /** Those that are waited for. */
  readonly endpoints: readonly string[];
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info'>;
  /** Has the log written that waits for the end of the start. Absent: nothing waits. */
  readonly showLog?: (() => void) | undefined;
}

/** Waits for work that needs an etcd, and logs it if it takes long. */
export async function sayingWhenSlow<T>(
  { endpoints, clock, logger, showLog }: SlowStart,
  work: () => Promise<T>,
): Promise<T> {
  if (endpoints.length === 0) return await work();
  const cancel = clock.schedule(() => {
    logger.info('Waiting for etcd, which has not answered yet', { endpoints });
    showLog?.();
  }, SILENT_MS);
  try {
    return await work();
  } finally {
    cancel();
  }
}
