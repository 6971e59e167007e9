import { type Clock, durationClock } from '@apiserver/apimachinery/clock';

/** Milliseconds in which a request that admission has charged stores its object, or fails. */
const SETTLED_MS = 1_000;

/**
 * Counts that are to be repeated. Admission charges a quota before the object is stored. A count in between lowers the
 * usage although the object comes, and the creation itself causes no further count.
 */
export class LoweredCounts {
  readonly #clock: Pick<Clock, 'now'>;
  /** The time of the repetition. */
  readonly #due = new Map<string, number>();

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = durationClock(clock);
  }

  /** The count of the quota lowered its usage. */
  repeatLater(key: string): void {
    this.#due.set(key, this.#clock.now() + SETTLED_MS);
  }

  /** The milliseconds until the repetition; undefined if there is none, or if this count was it. */
  pauseBeforeRepeat(key: string): number | undefined {
    const due = this.#due.get(key);
    if (due === undefined) return undefined;
    const left = due - this.#clock.now();
    if (left > SETTLED_MS) {
      // The clock was set back.
      this.repeatLater(key);
      return SETTLED_MS;
    }
    if (left > 0) return left;
    this.forget(key);
    return undefined;
  }

  /** The quota is gone. */
  forget(key: string): void {
    this.#due.delete(key);
  }
}
