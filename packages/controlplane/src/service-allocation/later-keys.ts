import { type Clock, durationClock, hasElapsed } from '@apiserver/apimachinery/clock';

/**
 * Keys to check again at a given time, with a single timer. A key may wait for one that was added earlier but is due
 * later.
 */
export class LaterKeys {
  readonly #clock: Clock;
  readonly #look: (key: string) => void;
  /** In order of insertion. */
  readonly #waiting = new Map<string, Waiting>();
  #cancel: (() => void) | undefined;

  /** Calls `look` once for each key, which may add the key again. */
  constructor(clock: Clock, look: (key: string) => void) {
    this.#clock = durationClock(clock);
    this.#look = look;
  }

  add(key: string, milliseconds: number): void {
    if (this.#waiting.has(key)) return;
    this.#waiting.set(key, { since: this.#clock.now(), milliseconds });
    this.#schedule();
  }

  stop(): void {
    this.#cancel?.();
    this.#waiting.clear();
  }

  #schedule(): void {
    const [first] = this.#waiting.values();
    if (first === undefined || this.#cancel !== undefined) return;
    const left = this.#isDue(first) ? 0 : first.since + first.milliseconds - this.#clock.now();
    this.#cancel = this.#clock.schedule(() => this.#lookAtDueKeys(), left + 1);
  }

  #lookAtDueKeys(): void {
    this.#cancel = undefined;
    for (const [key, waiting] of [...this.#waiting]) {
      if (!this.#isDue(waiting)) break;
      this.#waiting.delete(key);
      this.#look(key);
    }
    this.#schedule();
  }

  #isDue({ since, milliseconds }: Waiting): boolean {
    return hasElapsed(this.#clock, since, milliseconds);
  }
}

interface Waiting {
  /** In the clock's milliseconds. */
  readonly since: number;
  readonly milliseconds: number;
}
