import { type Clock, durationClock } from '@apiserver/apimachinery/clock';

/** The part of the time that work on one object may take. */
const MAX_SHARE = 0.2;
const MAX_PAUSE_MS = 5_000;

/**
 * Pauses between long work on an object. While a large namespace is emptied, each deletion is a reason to count the
 * others for a quota, or to look at them again.
 */
export class WorkPauses {
  readonly #clock: Pick<Clock, 'now'>;
  /** The earliest time at which the work may begin again. */
  readonly #due = new Map<string, number>();

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = durationClock(clock);
  }

  /** The time at which work begins, for `ended`. */
  begin(): number {
    return this.#clock.now();
  }

  /** Work on the object that began at this time has ended. */
  ended(key: string, began: number): void {
    const now = this.#clock.now();
    const pause = Math.min((now - began) * (1 / MAX_SHARE - 1), MAX_PAUSE_MS);
    if (pause > 0) this.#due.set(key, now + pause);
    else this.#due.delete(key);
  }

  /** The milliseconds until the work may begin; 0: at once. */
  left(key: string): number {
    const left = (this.#due.get(key) ?? 0) - this.#clock.now();
    // More is left if the clock was set back.
    return left > 0 && left <= MAX_PAUSE_MS ? left : 0;
  }

  /** The work may begin at once. */
  forget(key: string): void {
    this.#due.delete(key);
  }
}
