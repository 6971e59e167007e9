import { type Clock, monotonicClock } from './clock.js';

/** What Node's timers take. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Something that is to be over by a moment. */
export interface Deadline {
  /** Milliseconds of the clock. */
  readonly at: number;
  readonly expire: () => void;
  /** Where in the list it is; -1 once it has expired or was cleared. */
  index: number;
}

/**
 * Deadlines of many requests behind one timer, as nearly all are cleared long before: a timer for each costs more than all
 * else about it. Does not keep the process alive.
 */
export class Deadlines {
  /** No Set: V8 chains the tables a Set has outgrown, so that what passes through an old one cannot be collected young. */
  readonly #waiting: Deadline[] = [];
  readonly #clock: Clock;
  #cancelTimer: () => void = () => {};
  /** When the timer goes off. */
  #next = Number.POSITIVE_INFINITY;

  constructor(clock: Clock = monotonicClock) {
    this.#clock = clock;
  }

  /** Calls `expire` after that many milliseconds unless the deadline is cleared before; never at once. */
  add(milliseconds: number, expire: () => void): Deadline {
    const deadline: Deadline = { at: this.#clock.now() + milliseconds, expire, index: this.#waiting.length };
    this.#waiting.push(deadline);
    if (deadline.at < this.#next) this.#wakeAt(deadline.at);
    return deadline;
  }

  /** Does nothing when it has expired. */
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
    const milliseconds = Math.min(Math.max(0, at - this.#clock.now()), LONGEST_TIMER);
    this.#cancelTimer = this.#clock.schedule(() => this.#expireDue(), milliseconds);
  }

  /** Timers count whole milliseconds, so one may go off a little early. */
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
      // One that throws does not take the others with it.
      const next = this.#waiting.reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY);
      if (next < this.#next) this.#wakeAt(next);
    }
  }
}
