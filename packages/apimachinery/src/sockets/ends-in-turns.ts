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

  /** Delays the end of what a socket reads. */
  watch(socket: Duplex): void {
    const push = socket.push.bind(socket);
    socket.push = (piece: Buffer | null) => {
      if (piece !== null) return push(piece);
      this.add(() => push(null));
      return false;
    };
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
