/** The part of the time that counts of one quota may take. */
const MAX_SHARE = 0.2;
const MAX_PAUSE_MS = 5_000;

/**
 * Pauses between the counts of a quota. While many objects of a large namespace are deleted, each deletion would be
 * followed by a count of all the others.
 */
export class CountPauses {
  readonly #clock: { now(): number };
  /** The earliest time of the next count. */
  readonly #due = new Map<string, number>();

  constructor(clock: { now(): number }) {
    this.#clock = clock;
  }

  /** A count of the quota that began at this time has ended. */
  counted(key: string, began: number): void {
    const now = this.#clock.now();
    const pause = Math.min((now - began) * (1 / MAX_SHARE - 1), MAX_PAUSE_MS);
    if (pause > 0) this.#due.set(key, now + pause);
    else this.#due.delete(key);
  }

  /** The milliseconds until the next count; 0: it may begin. */
  left(key: string): number {
    const left = (this.#due.get(key) ?? 0) - this.#clock.now();
    // More is left if the clock was set back.
    return left > 0 && left <= MAX_PAUSE_MS ? left : 0;
  }

  /** The quota is gone. */
  forget(key: string): void {
    this.#due.delete(key);
  }
}
