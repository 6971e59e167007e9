import type { Clock } from '@apiserver/registry-store';

/** Resolves after `milliseconds`, or at once when `signal` aborts. */
export function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.schedule(done, milliseconds);
    function done(): void {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}
