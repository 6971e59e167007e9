import { setImmediate } from 'node:timers/promises';

/**
 * Waits until other requests have made progress. A socket's data and the immediate that it schedules run in the same
 * event loop turn. Only an immediate scheduled by an immediate runs after other sockets.
 */
export async function laterTurn(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
