import { FRAME_HEADER } from '../frames/frame-types.js';
import type { BufferPool } from './buffer-pool.js';

/** Bytes to send, and the pooled buffer that holds them. */
export interface OutputChunk {
  readonly memory: Buffer;
  readonly bytes: Buffer;
}

/**
 * Collects the frames of a connection in one buffer, and in further ones when it is full. An event loop turn thus
 * makes one write. Everything is copied, because TLS would copy a write of several parts.
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

  /** Number of collected bytes. */
  get length(): number {
    return this.#doneBytes + this.#at;
  }

  /** Adds a frame header. */
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

  /** Adds a frame with its payload. */
  frame(type: number, flags: number, stream: number, payload: Uint8Array): void {
    this.header(type, flags, stream, payload.length);
    this.bytes(payload, 0, payload.length);
  }

  /** Adds a frame whose payload is one 32-bit number. */
  frame32(type: number, stream: number, value: number): void {
    this.header(type, 0, stream, 4);
    this.#at = this.#reserve(4).writeUInt32BE(value >>> 0, this.#at);
  }

  /** Adds a part of a payload; it is copied. */
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

  /** Returns the collected output in order. The caller returns the buffers to the pool after the write. */
  take(): readonly OutputChunk[] {
    this.#endPiece();
    const taken = this.#done;
    this.#done = [];
    this.#doneBytes = 0;
    return taken;
  }

  /** The current buffer, with room for a few contiguous bytes. */
  #reserve(bytes: number): Buffer {
    if (this.#piece === undefined) this.#piece = this.#pool.take('small');
    else if (this.#at + bytes > this.#piece.length) this.#grow();
    return this.#piece;
  }

  /** Moves the content of a small buffer to a large one, so that it stays one write. */
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
