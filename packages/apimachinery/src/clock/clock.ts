/** Time, passed in so that tests own it. */
export interface Clock {
  /** Milliseconds since the epoch; of `monotonicClock` since the process began. */
  now(): number;
  /** Calls back once after `milliseconds`, unless the returned function is called before. Must not keep the process alive. */
  schedule(callback: () => void, milliseconds: number): () => void;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now(), schedule: setTimer };

/** The machine's time as nobody can set it: for how long something takes, not for when it was. */
export const monotonicClock: Clock = { now: () => performance.now(), schedule: setTimer };

function setTimer(callback: () => void, milliseconds: number): () => void {
  const timer = setTimeout(callback, milliseconds);
  timer.unref();
  return () => clearTimeout(timer);
}
