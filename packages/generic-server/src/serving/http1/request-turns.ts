import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests that wait on a connection, from which on nothing more of it is read. */
const MAX_WAITING = 16;

interface Turns {
  /** Its answer has not closed yet. */
  isUnderWay: boolean;
  readonly waiting: (readonly [ServerResponse, () => void])[];
}

/**
 * Serves the requests of an HTTP/1 connection one after the other, however many a client sends without waiting: each sees what
 * the one before has done, and none costs anything before it is its turn. Node would serve them all at once.
 * Upstream: conn.serve in net/http/server.go
 */
export class RequestTurns {
  readonly #connections = new WeakMap<Duplex, Turns>();

  /** Calls `serve` when everything that was asked before on this connection is answered, and its answers have let go of it. */
  take(socket: Duplex, response: ServerResponse, serve: () => void): void {
    const turns = this.#turnsOf(socket);
    if (!turns.isUnderWay) {
      this.#begin(socket, turns, response, serve);
      return;
    }
    turns.waiting.push([response, serve]);
    if (turns.waiting.length >= MAX_WAITING) socket.pause();
  }

  #turnsOf(socket: Duplex): Turns {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const turns = { isUnderWay: false, waiting: [] };
    this.#connections.set(socket, turns);
    return turns;
  }

  #begin(socket: Duplex, turns: Turns, response: ServerResponse, serve: () => void): void {
    turns.isUnderWay = true;
    serve();
    // Behind what `serve` does then itself: this request is over before the next begins.
    response.once('close', () => this.#next(socket, turns));
  }

  #next(socket: Duplex, turns: Turns): void {
    turns.isUnderWay = false;
    const next = turns.waiting.shift();
    if (next === undefined || socket.destroyed) return;
    if (turns.waiting.length === MAX_WAITING - 1) socket.resume();
    this.#begin(socket, turns, ...next);
  }
}
