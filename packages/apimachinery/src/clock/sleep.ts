import type { Clock } from './clock.js';

/** Resolves after `milliseconds`, or as soon as `signal` aborts. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.schedule(done, milliseconds);
    signal?.addEventListener('abort', done, { once: true });
  });
}
