import { FRAME_HEADER } from './frame-types.js';

/** Size of the buffers for frames. Larger payloads are not copied. */
const PIECE_BYTES = 32 * 1024;

/** Collects frames, so that one event loop turn makes one write. */
export class FrameWriter {
  #done: Uint8Array[] = [];
  #piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #from = 0;
  #at = 0;

  get empty(): boolean {
    return this.#at === this.#from && this.#done.length === 0;
  }

  /** Adds a frame. A large payload is not copied and must not change. */
  frame(type: number, flags: number, stream: number, payload: Uint8Array): void {
    this.#header(type, flags, stream, payload.length);
    this.raw(payload);
  }

  /** Adds a frame whose payload is one 32-bit number. */
  frame32(type: number, stream: number, value: number): void {
    this.#header(type, 0, stream, 4);
    this.#at = this.#piece.writeUInt32BE(value, this.#at);
  }

  /** Adds bytes that are not a frame, or the payload of a frame. */
  raw(bytes: Uint8Array): void {
    if (bytes.length > PIECE_BYTES / 4) {
      this.#endPiece();
      this.#done.push(bytes);
      return;
    }
    this.#reserve(bytes.length);
    this.#piece.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Returns everything that was added, in order. */
  take(): readonly Uint8Array[] {
    this.#endPiece();
    const done = this.#done;
    this.#done = [];
    return done;
  }

  #header(type: number, flags: number, stream: number, length: number): void {
    // Includes the number that may follow.
    this.#reserve(FRAME_HEADER + 4);
    const piece = this.#piece;
    const at = this.#at;
    piece[at] = length >>> 16;
    piece[at + 1] = (length >>> 8) & 0xff;
    piece[at + 2] = length & 0xff;
    piece[at + 3] = type;
    piece[at + 4] = flags;
    this.#at = piece.writeUInt32BE(stream, at + 5);
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= PIECE_BYTES) return;
    this.#endPiece();
    // The filled part is still being written.
    this.#piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    this.#from = 0;
    this.#at = 0;
  }

  #endPiece(): void {
    if (this.#at === this.#from) return;
    this.#done.push(this.#piece.subarray(this.#from, this.#at));
    this.#from = this.#at;
  }
}
