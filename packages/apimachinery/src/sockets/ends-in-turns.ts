import type { Duplex } from 'node:stream';
import { WorkTurns } from '../clock/work-turns.js';

/**
 * Lets the ends of connections take turns. One poll of the system may bring the ends of hundreds: each ends its requests,
 * and a session of TLS. A backend may also send the last bytes of hundreds together, and each piece may end a command.
 */
export class EndsInTurns {
  readonly #turns = new WorkTurns();

  /** Delays the end of what a socket reads, and pieces that come when this turn has taken its time. */
  watch(socket: Duplex): void {
    const push = socket.push.bind(socket);
    let waiting = 0;
    socket.push = (piece: Buffer | null) => {
      if (piece !== null && waiting === 0 && this.#turns.hasTime()) return push(piece);
      waiting++;
      this.add(() => {
        waiting--;
        if (!socket.destroyed) push(piece);
      });
      return false;
    };
  }

  /** Calls `end` in a turn. */
  add(end: () => void): void {
    this.#turns.add(end);
  }
}
