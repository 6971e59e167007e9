import { afterPromises } from '@apiserver/apimachinery/clock';

/** Milliseconds of one turn of the event loop. */
const TURN_MS = 2;

/**
 * Lets the beginnings of connections take turns. Each takes about 0.1 ms, with TLS or without, and one turn may bring
 * the requests of a thousand clients for one backend.
 */
export class OpeningTurns {
  readonly #waiting: (() => void)[] = [];
  #isOpening = false;
  /** Time of the first connection in this turn. */
  #turnBegun: number | undefined;

  /** True while a connection may begin at once: none waits, and this turn has time left. */
  isFree(): boolean {
    if (this.#isOpening) return false;
    if (this.#turnBegun !== undefined) return performance.now() - this.#turnBegun < TURN_MS;
    this.#turnBegun = performance.now();
    setImmediate(() => {
      this.#turnBegun = undefined;
    });
    return true;
  }

  /** Calls `open` in a turn. It must not throw. */
  add(open: () => void): void {
    this.#waiting.push(open);
    if (this.#isOpening) return;
    this.#isOpening = true;
    setImmediate(() => this.#openNext(performance.now()));
  }

  /** The rest of the work is in later ticks and promises. */
  #openNext(turnBegun: number): void {
    this.#waiting.shift()?.();
    afterPromises(() => {
      if (this.#waiting.length === 0) this.#isOpening = false;
      else if (performance.now() - turnBegun < TURN_MS) this.#openNext(turnBegun);
      else setImmediate(() => this.#openNext(performance.now()));
    });
  }
}
