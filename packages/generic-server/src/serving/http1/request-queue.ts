import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests that wait on a connection, from which on nothing more of it is read. */
const MAX_WAITING = 16;

/** Characters of their heads, from which on nothing more is read: a head alone may have 1 MiB. */
const MAX_WAITING_CHARACTERS = 64 * 1024;

interface Turns {
  /** Its answer has not closed yet. */
  isUnderWay: boolean;
  readonly waiting: Waiting[];
  /** Characters of the heads that wait. */
  characters: number;
  isPaused: boolean;
}

interface Waiting {
  readonly response: ServerResponse;
  readonly serve: () => void;
  readonly characters: number;
}

/**
 * Serves the requests of an HTTP/1 connection one after the other, however many a client sends without waiting: each sees what
 * the one before has done, and none costs anything before it is its turn. Node would serve them all at once.
 * Upstream: conn.serve in net/http/server.go
 */
export class RequestQueue {
  readonly #connections = new WeakMap<Duplex, Turns>();
  readonly #onIdle: (socket: Duplex) => void;

  /** `onIdle` is told when all requests of a connection are answered. */
  constructor(onIdle: (socket: Duplex) => void = () => {}) {
    this.#onIdle = onIdle;
  }

  /** Calls `serve` when everything that was asked before on this connection is answered, and its answers have let go of it. */
  take(socket: Duplex, response: ServerResponse, serve: () => void): void {
    const turns = this.#turnsOf(socket);
    if (!turns.isUnderWay) {
      this.#begin(socket, turns, response, serve);
      return;
    }
    const characters = charactersOf(response.req);
    turns.waiting.push({ response, serve, characters });
    turns.characters += characters;
    if (turns.isPaused || !isFull(turns)) return;
    turns.isPaused = true;
    socket.pause();
  }

  #turnsOf(socket: Duplex): Turns {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const turns = { isUnderWay: false, waiting: [], characters: 0, isPaused: false };
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
    if (next === undefined) this.#onIdle(socket);
    if (next === undefined || socket.destroyed) return;
    turns.characters -= next.characters;
    if (turns.isPaused && !isFull(turns)) {
      turns.isPaused = false;
      socket.resume();
    }
    this.#begin(socket, turns, next.response, next.serve);
  }
}

function isFull({ waiting, characters }: Turns): boolean {
  return waiting.length >= MAX_WAITING || characters >= MAX_WAITING_CHARACTERS;
}

function charactersOf({ url = '', rawHeaders }: IncomingMessage): number {
  let count = url.length;
  for (const text of rawHeaders) count += text.length;
  return count;
}
