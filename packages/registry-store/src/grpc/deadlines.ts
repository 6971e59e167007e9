import type { Clock } from '../clock.js';

interface Deadline {
  readonly at: number;
  readonly passed: () => void;
  /** Its place. */
  index: number;
}

/** Many deadlines, nearly all of which are met, over one timer. */
export class Deadlines {
  readonly #clock: Clock;
  /** In no order. An array, since a Set that much passes through keeps what it no longer has alive. */
  readonly #pending: Deadline[] = [];
  /** When the timer is due. */
  #due = Number.POSITIVE_INFINITY;
  #cancelTimer: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls back once after `milliseconds`, unless the returned function is called before. */
  add(milliseconds: number, passed: () => void): () => void {
    const deadline = { at: this.#clock.now() + milliseconds, passed, index: this.#pending.length };
    this.#pending.push(deadline);
    if (deadline.at < this.#due) this.#arm(deadline.at);
    return () => this.#remove(deadline);
  }

  #remove(deadline: Deadline): void {
    const { index } = deadline;
    if (this.#pending[index] !== deadline) return;
    const last = this.#pending.pop() as Deadline;
    if (last === deadline) return;
    this.#pending[index] = last;
    last.index = index;
  }

  #arm(due: number): void {
    this.#cancelTimer();
    this.#due = due;
    this.#cancelTimer = this.#clock.schedule(() => this.#check(), Math.max(0, due - this.#clock.now()));
  }

  #check(): void {
    const now = this.#clock.now();
    this.#due = Number.POSITIVE_INFINITY;
    const passed = this.#pending.filter(({ at }) => at <= now);
    for (const deadline of passed) this.#remove(deadline);
    const next = this.#pending.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
    if (next < this.#due) this.#arm(next);
    for (const deadline of passed) deadline.passed();
  }
}
