/** Enough turns for work that waits for many promises and immediates, one after the other. */
const TURNS = 100;

/**
 * Lets pending work end that waits for promises and immediates, but not for timers, threads or sockets. A pause in
 * milliseconds would not do: after a stall of the process, its timer fires before the work has run.
 */
export async function eventLoopTurns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
