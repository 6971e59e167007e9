import type { Clock } from '../clock/index.js';

/** A clock that only advances on request. */
export class ManualClock implements Clock {
  #now: number;
  readonly #timers = new Set<{ at: number; readonly callback: () => void }>();

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  schedule(callback: () => void, milliseconds: number): () => void {
    const timer = { at: this.#now + milliseconds, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Sets the clock, as an administrator does: pending callbacks come after the same time as before. */
  setBack(milliseconds: number): void {
    this.#now -= milliseconds;
    for (const timer of this.#timers) timer.at -= milliseconds;
  }

  /** Advances and calls back what is due, in order. */
  advance(milliseconds: number): void {
    this.advanceTo(this.#now + milliseconds);
  }

  /** Advances to a time of `now()`, and calls back what is due, in order. */
  advanceTo(until: number): void {
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.at <= until).toSorted((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.callback();
    }
    this.#now = until;
  }
}
