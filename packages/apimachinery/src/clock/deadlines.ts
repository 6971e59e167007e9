import { type Clock, monotonicClock } from './clock.js';
import { runSliced } from './slice-turns.js';

/** A callback with the time at which it is due. */
export interface Deadline {
  /** Milliseconds of the clock. */
  readonly at: number;
  readonly expire: () => void;
  /** Index in the list; -1 once it has expired or was cleared. */
  index: number;
}

/**
 * Deadlines of many requests behind one timer. Nearly all are cleared long before they expire, and a timer for each
 * would dominate their cost. Does not keep the process alive.
 */
export class Deadlines {
  /**
   * Not a Set: V8 chains the tables that a Set has outgrown, so entries that pass through an old one cannot be
   * collected young.
   */
  readonly #waiting: Deadline[] = [];
  readonly #clock: Clock;
  #cancelTimer: () => void = () => {};
  /** Time at which the timer fires. */
  #next = Number.POSITIVE_INFINITY;

  constructor(clock: Clock = monotonicClock) {
    this.#clock = clock;
  }

  /** Calls `expire` after that many milliseconds unless the deadline is cleared before; never synchronously. */
  add(milliseconds: number, expire: () => void): Deadline {
    const deadline: Deadline = { at: this.#clock.now() + milliseconds, expire, index: this.#waiting.length };
    this.#waiting.push(deadline);
    if (deadline.at < this.#next) this.#wakeAt(deadline.at);
    return deadline;
  }

  /** Does nothing if the deadline has expired. */
  clear(deadline: Deadline): void {
    const { index } = deadline;
    if (index < 0) return;
    deadline.index = -1;
    const last = this.#waiting.pop();
    if (last === undefined || last === deadline) return;
    this.#waiting[index] = last;
    last.index = index;
  }

  #wakeAt(at: number): void {
    this.#cancelTimer();
    this.#next = at;
    const milliseconds = Math.max(0, at - this.#clock.now());
    // The timer outlives the request that began it, and must not keep what belongs to it.
    this.#cancelTimer = runSliced(undefined, () => this.#clock.schedule(() => this.#expireDue(), milliseconds));
  }

  /** Timers count whole milliseconds, so one may fire slightly early. */
  #expireDue(): void {
    this.#next = Number.POSITIVE_INFINITY;
    const now = this.#clock.now() + 1;
    try {
      for (const deadline of this.#waiting.filter(({ at }) => at <= now)) {
        if (deadline.index < 0) continue;
        this.clear(deadline);
        deadline.expire();
      }
    } finally {
      // A callback that throws must not keep the others from running.
      const next = this.#waiting.reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY);
      if (next < this.#next) this.#wakeAt(next);
    }
  }
}
