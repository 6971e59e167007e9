import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Number of waiting requests from which on a connection is not read. */
const MAX_WAITING = 16;

/** Characters of waiting heads from which on a connection is not read. A single head may have 1 MiB. */
const MAX_WAITING_CHARACTERS = 64 * 1024;

/** Stops and continues the reading of a connection. */
export interface Reading {
  pause(socket: Duplex): void;
  resume(socket: Duplex): void;
}

interface Turns {
  /** A response is under way. */
  isUnderWay: boolean;
  readonly waiting: Waiting[];
  /** Characters of the waiting heads. */
  characters: number;
  isPaused: boolean;
}

interface Waiting {
  readonly response: ServerResponse;
  readonly serve: () => void;
  readonly characters: number;
}

/**
 * Serves pipelined requests of an HTTP/1 connection one after the other, so that each sees the effects of the one
 * before. Waiting requests cost nothing. Node would serve them all at once.
 * Upstream: conn.serve in net/http/server.go
 */
export class RequestQueue {
  readonly #connections = new WeakMap<Duplex, Turns>();
  readonly #reading: Reading;
  readonly #onIdle: (socket: Duplex) => void;

  /** `onIdle` is called when all requests of a connection have their responses. */
  constructor(reading: Reading, onIdle: (socket: Duplex) => void = () => {}) {
    this.#reading = reading;
    this.#onIdle = onIdle;
  }

  /** Calls `serve` when all earlier responses of this connection have closed. */
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
    this.#reading.pause(socket);
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
    // Registered after the listeners of `serve`, so that this request ends before the next begins.
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
      this.#reading.resume(socket);
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
