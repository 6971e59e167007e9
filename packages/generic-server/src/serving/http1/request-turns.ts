import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests that wait on a connection, from which on nothing more of it is read. */
const MAX_WAITING = 16;

interface Turns {
  /** The answer under way. */
  current: ServerResponse;
  readonly waiting: (readonly [ServerResponse, () => void])[];
}

/**
 * Serves the requests of an HTTP/1 connection one after the other, however many a client sends without waiting: each sees what
 * the one before has done, and none costs anything before it is its turn. Node would serve them all at once.
 * Upstream: conn.serve in net/http/server.go
 */
export class RequestTurns {
  readonly #connections = new WeakMap<Duplex, Turns>();

  /** Calls `serve` when everything that was asked before on this connection is answered. */
  take(socket: Duplex, response: ServerResponse, serve: () => void): void {
    const turns = this.#connections.get(socket);
    if (turns === undefined || isOver(turns.current)) {
      this.#begin(socket, { current: response, waiting: turns?.waiting ?? [] }, serve);
      return;
    }
    turns.waiting.push([response, serve]);
    if (turns.waiting.length >= MAX_WAITING) socket.pause();
  }

  #begin(socket: Duplex, turns: Turns, serve: () => void): void {
    this.#connections.set(socket, turns);
    turns.current.once('close', () => this.#next(socket, turns));
    serve();
  }

  #next(socket: Duplex, turns: Turns): void {
    const next = turns.waiting.shift();
    if (next === undefined || socket.destroyed) return;
    const [response, serve] = next;
    turns.current = response;
    if (turns.waiting.length === MAX_WAITING - 1) socket.resume();
    this.#begin(socket, turns, serve);
  }
}

function isOver(response: ServerResponse): boolean {
  return response.writableFinished || response.destroyed;
}
