import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ServerSignals } from '@apiserver/generic-server';

/**
 * Resolves one turn of the event loop after readiness: for work that no client waits for. The server first tells that
 * it is ready; reading the code of the controllers alone takes longer than that.
 */
export async function afterReadiness({ ready }: Pick<ServerSignals, 'ready'>): Promise<void> {
  await ready.signaled;
  await nextTurn();
}
