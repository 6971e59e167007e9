import { setImmediate } from 'node:timers/promises';

/**
 * Waits until other requests have had their turn. The data of a socket and an immediate that it makes run in one turn of the
 * event loop: only an immediate of an immediate comes after the sockets of others.
 */
export async function laterTurn(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
