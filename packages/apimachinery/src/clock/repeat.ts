import type { Clock } from './clock.js';

/** Calls `work` at this interval in milliseconds, until `signal` aborts. Then it keeps no reference to `work`. */
export function repeat(clock: Clock, milliseconds: number, work: () => void, signal: AbortSignal): void {
  if (signal.aborted) return;
  const tick = (): void => {
    cancel = clock.schedule(tick, milliseconds);
    work();
  };
  let cancel = clock.schedule(tick, milliseconds);
  signal.addEventListener('abort', () => cancel(), { once: true });
}
