import { FRAME_HEADER } from '../frames/frame-types.js';
import type { BufferPool } from './buffer-pool.js';

/** Bytes to be sent, and the memory that they are in. */
export interface OutputChunk {
  readonly memory: Buffer;
  readonly bytes: Buffer;
}

/**
 * Gathers frames of a connection in one piece of memory, and in further ones where that is too small: what one turn of the event
 * loop sends is one write. All is copied, since TLS would copy what comes in several parts.
 */
export class OutputBuffer {
  readonly #pool: BufferPool;
  #done: OutputChunk[] = [];
  #piece: Buffer | undefined = undefined;
  #at = 0;
  #doneBytes = 0;

  constructor(pool: BufferPool) {
    this.#pool = pool;
  }

  /** Bytes gathered and not taken. */
  get length(): number {
    return this.#doneBytes + this.#at;
  }

  /** The nine bytes before a payload. */
  header(type: number, flags: number, stream: number, length: number): void {
    const piece = this.#reserve(FRAME_HEADER);
    const at = this.#at;
    piece[at] = length >>> 16;
    piece[at + 1] = length >>> 8;
    piece[at + 2] = length;
    piece[at + 3] = type;
    piece[at + 4] = flags;
    piece[at + 5] = stream >>> 24;
    piece[at + 6] = stream >>> 16;
    piece[at + 7] = stream >>> 8;
    piece[at + 8] = stream;
    this.#at = at + FRAME_HEADER;
  }

  /** A frame and its payload. */
  frame(type: number, flags: number, stream: number, payload: Uint8Array): void {
    this.header(type, flags, stream, payload.length);
    this.bytes(payload, 0, payload.length);
  }

  /** A frame whose payload is one number of 32 bits. */
  frame32(type: number, stream: number, value: number): void {
    this.header(type, 0, stream, 4);
    this.#at = this.#reserve(4).writeUInt32BE(value >>> 0, this.#at);
  }

  /** A part of a payload; copied. */
  bytes(source: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to) {
      const piece = this.#reserve(1);
      const size = Math.min(to - at, piece.length - this.#at);
      piece.set(at === 0 && size === source.length ? source : source.subarray(at, at + size), this.#at);
      this.#at += size;
      at += size;
      if (at < to) this.#grow();
    }
  }

  /** All that was gathered, in order; to be given back to the pool when it has been sent. */
  take(): readonly OutputChunk[] {
    this.#endPiece();
    const taken = this.#done;
    this.#done = [];
    this.#doneBytes = 0;
    return taken;
  }

  /** Room for a few bytes in one place. */
  #reserve(bytes: number): Buffer {
    if (this.#piece === undefined) this.#piece = this.#pool.take('small');
    else if (this.#at + bytes > this.#piece.length) this.#grow();
    return this.#piece;
  }

  /** What began small goes on in one large piece, so that it stays one write. */
  #grow(): void {
    const large = this.#pool.take('large');
    const before = this.#piece;
    if (before !== undefined && this.#doneBytes === 0 && before.length < large.length) {
      large.set(before.subarray(0, this.#at));
      this.#pool.giveBack(before);
    } else {
      this.#endPiece();
    }
    this.#piece = large;
  }

  #endPiece(): void {
    if (this.#piece === undefined) return;
    this.#done.push({ memory: this.#piece, bytes: this.#piece.subarray(0, this.#at) });
    this.#doneBytes += this.#at;
    this.#piece = undefined;
    this.#at = 0;
  }
}
