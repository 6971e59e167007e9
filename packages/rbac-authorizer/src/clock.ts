/** Time, passed in. Any Clock of the other packages fits. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `milliseconds`, unless the returned function is called before. */
  schedule(callback: () => void, milliseconds: number): () => void;
}

/** Resolves after that time, or as soon as the signal aborts. */
export function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.schedule(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
  });
}
