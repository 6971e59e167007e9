import type { Clock } from './clock.js';

/** Calls `work` after every so many milliseconds, until `signal` aborts. Nothing of it is kept from then on. */
export function repeat(clock: Clock, milliseconds: number, work: () => void, signal: AbortSignal): void {
  if (signal.aborted) return;
  const tick = (): void => {
    cancel = clock.schedule(tick, milliseconds);
    work();
  };
  let cancel = clock.schedule(tick, milliseconds);
  signal.addEventListener('abort', () => cancel(), { once: true });
}
