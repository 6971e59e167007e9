import type { Duplex } from 'node:stream';
import { afterPromises } from '../clock/after-promises.js';

/** Milliseconds of one turn of the event loop. */
const TURN_MS = 2;

/**
 * Lets the ends of connections take turns. One poll of the system may bring the ends of hundreds: each ends its requests,
 * and a session of TLS.
 */
export class EndsInTurns {
  readonly #waiting: (() => void)[] = [];
  #isEnding = false;
  /** Time of the first piece in this turn. */
  #pollBegun: number | undefined;

  /** Delays the end of what a socket reads, and pieces that come when this turn has taken its time. */
  watch(socket: Duplex): void {
    const push = socket.push.bind(socket);
    let waiting = 0;
    socket.push = (piece: Buffer | null) => {
      if (piece !== null && waiting === 0 && this.#hasTime()) return push(piece);
      waiting++;
      this.add(() => {
        waiting--;
        if (!socket.destroyed) push(piece);
      });
      return false;
    };
  }

  /** A backend may send the last bytes of hundreds of connections together, and each piece may end a command. */
  #hasTime(): boolean {
    if (this.#pollBegun !== undefined) return performance.now() - this.#pollBegun < TURN_MS;
    this.#pollBegun = performance.now();
    setImmediate(() => {
      this.#pollBegun = undefined;
    });
    return true;
  }

  /** Calls `end` in a turn. */
  add(end: () => void): void {
    this.#waiting.push(end);
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => this.#endNext(performance.now()));
  }

  /** The work is in later ticks and promises. An end that throws delays no other. */
  #endNext(turnBegun: number): void {
    try {
      this.#waiting.shift()?.();
    } finally {
      afterPromises(() => {
        if (this.#waiting.length === 0) this.#isEnding = false;
        else if (performance.now() - turnBegun < TURN_MS) this.#endNext(turnBegun);
        else setImmediate(() => this.#endNext(performance.now()));
      });
    }
  }
}
