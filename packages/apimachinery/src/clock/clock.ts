/** A clock that is passed in, so that tests control time. */
export interface Clock {
  /** Milliseconds since the epoch; for `monotonicClock` since the start of the process. */
  now(): number;
  /**
   * Calls back once after `milliseconds`, unless the returned function is called before. Takes longer delays than
   * Node's timers do. Must not keep the process alive.
   */
  schedule(callback: () => void, milliseconds: number): () => void;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now(), schedule: setTimer };

/** A clock that cannot be set: for durations, not for dates. */
export const monotonicClock: Clock = { now: () => performance.now(), schedule: setTimer };

/** The longest delay that Node's timers take, in milliseconds: 25 days. They take a longer one for 1 ms. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

function setTimer(callback: () => void, milliseconds: number): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number): void => {
    const delay = Math.min(left, MAX_TIMER_MS);
    timer = setTimeout(() => (left > delay ? wait(left - delay) : callback()), delay);
    timer.unref();
  };
  wait(milliseconds);
  return () => clearTimeout(timer);
}
