import type { Duplex } from 'node:stream';
import { EndsInTurns } from './ends-in-turns.js';

/** Bytes of a client's first slice, and the least of one: some 350 chunks of one byte each, or 70 small requests. */
const SLICE_BYTES = 2 * 1024;
/** Bytes of the slices of a connection whose bytes are parsed fast, such as those of a large body. TLS decrypts as many at once. */
const MAX_SLICE_BYTES = 16 * 1024;
/** A slice that takes less milliseconds doubles the next one of its connection; another one halves it. */
const FAST_MS = 0.25;
/** Milliseconds in one turn of the event loop, for all connections: of bytes that pass at once, and again of slices. */
const TURN_MS = 2;
/** Milliseconds that TLS and Node need at least for a piece: each may be a record of one byte. */
const PIECE_MS = 0.003;

/** A connection, and its bytes that wait for the parser. */
interface SlicedSocket {
  readonly socket: Duplex;
  /** Pieces that wait, in order; null: the end. */
  readonly waiting: (Buffer | null)[];
  /** Gives a piece to the stream. */
  readonly push: (piece: Buffer | null) => boolean;
  /** The stream has asked for more, while pieces waited. */
  isAsked: boolean;
  /** Bytes that the parser may get at once. */
  sliceBytes: number;
  /** The parser gets nothing. */
  isPaused: boolean;
  /** It waits for its turn. */
  isListed: boolean;
}

/** The connections that are sliced. */
export interface ReadSlicesOptions {
  /**
   * True for connections to servers, which send larger pieces. Their ends take no turns: a request must not be sent on a
   * connection that has ended. Default: false.
   */
  readonly ofServers?: boolean;
}

/**
 * Gives Node's parser the bytes of connections in slices. Node reads 64 KiB at a time, and parses them in one turn: thousands of
 * requests, or of chunks of a body. Connections take turns.
 */
export class ReadSlices {
  readonly #ofServers: boolean;
  readonly #sliced: SlicedSocket[] = [];
  readonly #ends = new EndsInTurns();
  readonly #all = new WeakMap<Duplex, SlicedSocket>();
  #isScheduled = false;
  /** Milliseconds of bytes that passed at once in this turn. */
  #passedMs = 0;
  #isCounting = false;

  constructor({ ofServers = false }: ReadSlicesOptions = {}) {
    this.#ofServers = ofServers;
  }

  /** Slices the bytes of a connection, once. To be called when Node's server or client has it. */
  accept(socket: Duplex): void {
    if (this.#all.has(socket)) return;
    // A listener makes Node give bytes to the stream, and not to its parser.
    const none = () => {};
    socket.on('data', none).off('data', none);
    const push = socket.push.bind(socket);
    const sliced: SlicedSocket = {
      ...{ socket, push, waiting: [], sliceBytes: this.#ofServers ? MAX_SLICE_BYTES : SLICE_BYTES },
      ...{ isAsked: false, isPaused: false, isListed: false },
    };
    this.#all.set(socket, sliced);
    const read = socket._read.bind(socket);
    socket.push = (piece: Buffer | null) => {
      const isFirst = sliced.waiting.length === 0;
      if (isFirst && piece === null) return this.#end(sliced);
      if (isFirst && piece !== null && this.#mayPass(sliced, piece)) return this.#give(sliced, piece);
      sliced.waiting.push(piece);
      if (isFirst) this.#hold(sliced);
      return false;
    };
    socket._read = (size) => {
      if (sliced.waiting.length === 0) read(size);
      else sliced.isAsked = true;
    };
  }

  /** Node resumes a stream that is paused when the parser comes to the end of a request, so this holds the bytes here. */
  pause(socket: Duplex): void {
    const sliced = this.#all.get(socket);
    if (sliced !== undefined) sliced.isPaused = true;
  }

  isPaused(socket: Duplex): boolean {
    return this.#all.get(socket)?.isPaused ?? false;
  }

  resume(socket: Duplex): void {
    const sliced = this.#all.get(socket);
    if (sliced === undefined) return;
    sliced.isPaused = false;
    this.#hold(sliced);
  }

  /**
   * Slices no longer: another protocol begins. Waiting pieces go to the stream, which nobody reads yet. The ends of many
   * connections still take turns.
   */
  release(socket: Duplex): void {
    const sliced = this.#all.get(socket);
    if (sliced === undefined) return;
    this.#all.delete(socket);
    Reflect.deleteProperty(socket, '_read');
    socket.push = (piece: Buffer | null) => (piece === null ? this.#end(sliced) : sliced.push(piece));
    for (const piece of sliced.waiting.splice(0)) socket.push(piece);
  }

  /** Many clients may send small pieces at the same moment. */
  #mayPass({ socket, sliceBytes, isPaused }: SlicedSocket, { length }: Buffer): boolean {
    return !isPaused && length <= sliceBytes && this.#passedMs < TURN_MS && socket.readableFlowing !== false;
  }

  /** The parser and the beginnings of requests run inside. */
  #give(sliced: SlicedSocket, piece: Buffer): boolean {
    const begun = performance.now();
    const wantsMore = sliced.push(piece);
    const took = performance.now() - begun;
    this.#passedMs += took + PIECE_MS;
    this.#count();
    if (took >= FAST_MS) sliced.sliceBytes = Math.max(sliced.sliceBytes / 2, SLICE_BYTES);
    else if (piece.length >= sliced.sliceBytes) {
      sliced.sliceBytes = Math.min(2 * sliced.sliceBytes, MAX_SLICE_BYTES);
    }
    return wantsMore;
  }

  /** Ends the count of this turn. */
  #count(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    setImmediate(() => {
      this.#isCounting = false;
      this.#passedMs = 0;
    });
  }

  #end({ push }: SlicedSocket): false {
    if (this.#ofServers) push(null);
    else this.#ends.add(() => push(null));
    return false;
  }

  /** Gives a connection its turn, if pieces wait. */
  #hold(sliced: SlicedSocket): void {
    if (sliced.isListed || sliced.waiting.length === 0) return;
    sliced.isListed = true;
    this.#sliced.push(sliced);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#sliced.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const end = performance.now() + TURN_MS;
      try {
        do this.#giveNext();
        while (this.#sliced.length > 0 && performance.now() < end);
      } finally {
        this.#schedule();
      }
    });
  }

  #giveNext(): void {
    const sliced = this.#sliced.shift();
    if (sliced === undefined) return;
    sliced.isListed = false;
    const { waiting, socket, sliceBytes, isPaused } = sliced;
    if (isPaused || socket.destroyed) return;
    // The stream would keep its slices, and give them all to the parser in the turn in which it flows again.
    if (socket.readableFlowing === false) {
      socket.once('resume', () => this.#hold(sliced));
      return;
    }
    const piece = waiting.shift();
    if (piece === undefined) return;
    if (piece === null) {
      this.#end(sliced);
      return;
    }
    if (piece.length > sliceBytes) waiting.unshift(piece.subarray(sliceBytes));
    this.#hold(sliced);
    this.#give(sliced, piece.subarray(0, sliceBytes));
    if (waiting.length > 0 || !sliced.isAsked) return;
    sliced.isAsked = false;
    socket._read(SLICE_BYTES);
  }
}
