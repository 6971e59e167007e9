/** A clock that is passed in, so that tests control time. It may be set; `durationClock` is for what must not notice. */
export interface Clock {
  /** Milliseconds since the epoch; for `monotonicClock` since the start of the process. */
  now(): number;
  /**
   * Calls back once after `milliseconds`, unless the returned function is called before. Takes longer delays than
   * Node's timers do. Must not keep the process alive.
   */
  schedule(callback: () => void, milliseconds: number): () => void;
  /** Counts the same time and cannot be set. Absent where nobody but a test sets this clock. */
  readonly monotonic?: Clock;
}

/** A clock that cannot be set: for durations, not for dates. */
export const monotonicClock: Clock = { now: () => performance.now(), schedule: setTimer };

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now(), schedule: setTimer, monotonic: monotonicClock };

/**
 * The clock for durations and deadlines: they neither end early nor last longer when somebody sets the machine's clock.
 * Its times mean nothing outside the process, and must not be mixed with those of `clock`.
 */
export function durationClock(clock: Clock): Clock;
export function durationClock(clock: Pick<Clock, 'now' | 'monotonic'>): Pick<Clock, 'now'>;
export function durationClock(clock: Pick<Clock, 'now' | 'monotonic'>): Pick<Clock, 'now'> {
  return clock.monotonic ?? clock;
}

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
