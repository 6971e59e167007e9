import { whenAborted } from '@apiserver/apimachinery/clock';
import type { WorkQueue } from '@apiserver/component-base/work-queue';

/** Waits for the signal, then ends the subscriptions and waits for the keys in progress. */
export async function runUntilAborted(
  signal: AbortSignal,
  queue: WorkQueue,
  subscriptions: readonly (() => void)[],
): Promise<void> {
  await whenAborted(signal);
  for (const unsubscribe of subscriptions) unsubscribe();
  await queue.idle();
}
