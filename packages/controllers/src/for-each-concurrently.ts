/** Items whose work is under way at once. Their writes share commits of the store, and one turn has few of them. */
const MAX_CONCURRENT = 50;

/** Options of the loop. */
export interface ConcurrentWorkOptions {
  /** Ends the loop between two items: a server that stops, or leads no longer, does not wait for all of them. */
  readonly signal: AbortSignal;
  /** Ends the loop when so many more items have failed than succeeded. Default: never. */
  readonly maxExcessFailures?: number;
  /** Default: 50. */
  readonly concurrent?: number;
}

/**
 * Does the work for all items, some at a time. A failure keeps no others; the first one is thrown at the end. Throws the
 * reason of the signal if that aborts before.
 */
export async function forEachConcurrently<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<unknown>,
  { signal, maxExcessFailures = Number.POSITIVE_INFINITY, concurrent = MAX_CONCURRENT }: ConcurrentWorkOptions,
): Promise<void> {
  const left = [...items].values();
  const failures: unknown[] = [];
  let succeeded = 0;
  const run = async () => {
    for (const item of left) {
      if (signal.aborted || failures.length - succeeded >= maxExcessFailures) return;
      await work(item).then(
        () => succeeded++,
        (error: unknown) => failures.push(error),
      );
    }
  };
  await Promise.all(Array.from({ length: concurrent }, run));
  signal.throwIfAborted();
  if (failures.length > 0) throw failures[0];
}
