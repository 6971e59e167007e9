/** A clock that is passed in, so that tests control time. */
export interface Clock {
  /** Milliseconds since the epoch; for `monotonicClock` since the start of the process. */
  now(): number;
  /**
   * Calls back once after `milliseconds`, unless the returned function is called before. Must not keep the process
   * alive.
   */
  schedule(callback: () => void, milliseconds: number): () => void;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now(), schedule: setTimer };

/** A clock that cannot be set: for durations, not for dates. */
export const monotonicClock: Clock = { now: () => performance.now(), schedule: setTimer };

function setTimer(callback: () => void, milliseconds: number): () => void {
  const timer = setTimeout(callback, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
}
