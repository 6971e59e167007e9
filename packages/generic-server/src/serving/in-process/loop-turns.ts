import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds for which calls without a socket may hold the event loop. */
const MAX_RUN_MS = 5;

/**
 * Lets the event loop turn between calls. Without sockets they follow each other as microtasks: a caller that repeats a
 * call until something happens would keep timers and everything else from happening.
 */
export class LoopTurns {
  /** When the first call of this turn began; undefined if there was none. */
  #begun: number | undefined = undefined;

  /** Wait for the result before a call begins. Undefined: it may begin at once. */
  next(): Promise<void> | undefined {
    if (this.#begun === undefined) {
      this.#begun = performance.now();
      setImmediate(() => {
        this.#begun = undefined;
      });
      return undefined;
    }
    return performance.now() - this.#begun < MAX_RUN_MS ? undefined : nextTurn();
  }
}
