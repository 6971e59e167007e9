import { afterPromises } from './after-promises.js';

/** Milliseconds of one turn of the event loop. */
const TURN_MS = 2;

/** Lets pieces of work of one kind take turns, where one turn of the event loop may bring hundreds. */
export class WorkTurns {
  readonly #waiting: (() => void)[] = [];
  #isWorking = false;
  /** Time of the first piece in this turn. */
  #turnBegun: number | undefined;

  /** True while this turn has time left for pieces that begin at once. */
  hasTime(): boolean {
    if (this.#turnBegun !== undefined) return performance.now() - this.#turnBegun < TURN_MS;
    this.#turnBegun = performance.now();
    setImmediate(() => {
      this.#turnBegun = undefined;
    });
    return true;
  }

  /** True while a piece may begin at once: none waits, and this turn has time left. */
  isFree(): boolean {
    return !this.#isWorking && this.hasTime();
  }

  /** Calls `work` in a turn. */
  add(work: () => void): void {
    this.#waiting.push(work);
    if (this.#isWorking) return;
    this.#isWorking = true;
    setImmediate(() => this.#workNext(performance.now()));
  }

  /** The rest of the work is in later ticks and promises. A piece that throws delays no other. */
  #workNext(turnBegun: number): void {
    try {
      this.#waiting.shift()?.();
    } finally {
      afterPromises(() => {
        if (this.#waiting.length === 0) this.#isWorking = false;
        else if (performance.now() - turnBegun < TURN_MS) this.#workNext(turnBegun);
        else setImmediate(() => this.#workNext(performance.now()));
      });
    }
  }
}
