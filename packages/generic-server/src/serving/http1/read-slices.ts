import type { Duplex } from 'node:stream';

/** Bytes of one connection that the parser gets at once in one turn of the event loop. */
const PASSED_BYTES = 4 * 1024;
/** Bytes of a slice: some 350 chunks of one byte each, or 70 small requests. */
const SLICE_BYTES = 2 * 1024;
/** Milliseconds of slices in one turn of the event loop, for all connections. */
const TURN_MS = 2;

/** A connection with bytes that wait for the parser. */
interface SlicedSocket {
  readonly socket: Duplex;
  /** Pieces that wait, in order; null: the end. */
  readonly waiting: (Buffer | null)[];
  /** Gives a piece to the stream. */
  readonly push: (piece: Buffer | null) => boolean;
  /** The stream has asked for more, while pieces waited. */
  isAsked: boolean;
  /** Bytes that passed at once in this turn. */
  passed: number;
  turn: number;
}

/**
 * Gives Node's parser the bytes of connections in slices. Node reads 64 KiB at a time, and parses them in one turn: thousands of
 * requests, or of chunks of a body. Connections take turns.
 */
export class ReadSlices {
  readonly #sliced: SlicedSocket[] = [];
  #isScheduled = false;
  /** Counts the turns in which bytes passed at once. */
  #turn = 0;
  #isCounting = false;

  /** Slices the bytes of a connection. To be called once Node's server has the connection. */
  accept(socket: Duplex): void {
    // A listener makes Node give bytes to the stream, and not to its parser.
    const none = () => {};
    socket.on('data', none).off('data', none);
    const sliced: SlicedSocket = {
      socket,
      waiting: [],
      push: socket.push.bind(socket),
      isAsked: false,
      passed: 0,
      turn: 0,
    };
    const read = socket._read.bind(socket);
    socket.push = (piece: Buffer | null) => {
      const isFirst = sliced.waiting.length === 0;
      if (isFirst && (piece === null || this.#mayPass(sliced, piece.length))) return sliced.push(piece);
      sliced.waiting.push(piece);
      if (isFirst) this.#hold(sliced);
      return false;
    };
    socket._read = (size) => {
      if (sliced.waiting.length === 0) read(size);
      else sliced.isAsked = true;
    };
  }

  /** A read of 64 KiB may come in many small pieces. */
  #mayPass(sliced: SlicedSocket, bytes: number): boolean {
    if (sliced.turn !== this.#turn) {
      sliced.turn = this.#turn;
      sliced.passed = 0;
    }
    sliced.passed += bytes;
    if (!this.#isCounting) {
      this.#isCounting = true;
      setImmediate(() => {
        this.#isCounting = false;
        this.#turn++;
      });
    }
    return sliced.passed <= PASSED_BYTES;
  }

  #hold(sliced: SlicedSocket): void {
    this.#sliced.push(sliced);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#sliced.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const end = performance.now() + TURN_MS;
      do this.#pushNext();
      while (this.#sliced.length > 0 && performance.now() < end);
      this.#schedule();
    });
  }

  #pushNext(): void {
    const sliced = this.#sliced.shift();
    if (sliced === undefined || sliced.socket.destroyed) return;
    const { waiting, push, socket } = sliced;
    const piece = waiting.shift();
    if (piece === undefined) return;
    const slice = piece?.subarray(0, SLICE_BYTES) ?? null;
    if (piece !== null && piece.length > SLICE_BYTES) waiting.unshift(piece.subarray(SLICE_BYTES));
    push(slice);
    if (waiting.length > 0) this.#sliced.push(sliced);
    else if (sliced.isAsked) {
      sliced.isAsked = false;
      socket._read(SLICE_BYTES);
    }
  }
}
