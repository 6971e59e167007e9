import type { Clock } from '@apiserver/apimachinery/clock';

/**
 * Keys to check again at a given time, with a single timer. A key may wait for one that was added earlier but is due
 * later.
 */
export class LaterKeys {
  readonly #clock: Clock;
  readonly #look: (key: string) => void;
  /** Due times in milliseconds since the epoch, in order of insertion. */
  readonly #due = new Map<string, number>();
  #cancel: (() => void) | undefined;

  /** Calls `look` once for each key, which may add the key again. */
  constructor(clock: Clock, look: (key: string) => void) {
    this.#clock = clock;
    this.#look = look;
  }

  add(key: string, milliseconds: number): void {
    if (this.#due.has(key)) return;
    this.#due.set(key, this.#clock.now() + milliseconds);
    this.#schedule();
  }

  stop(): void {
    this.#cancel?.();
    this.#due.clear();
  }

  #schedule(): void {
    const [first] = this.#due.values();
    if (first === undefined || this.#cancel !== undefined) return;
    this.#cancel = this.#clock.schedule(() => this.#lookAtDueKeys(), Math.max(1, first - this.#clock.now() + 1));
  }

  #lookAtDueKeys(): void {
    this.#cancel = undefined;
    for (const [key, due] of [...this.#due]) {
      if (due > this.#clock.now()) break;
      this.#due.delete(key);
      this.#look(key);
    }
    this.#schedule();
  }
}
