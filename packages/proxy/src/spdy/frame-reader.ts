import { Buffer } from 'node:buffer';
import { bodyLength, decodeFrame, type Frame, HEAD_BYTES } from './frames.js';

/** Splits a stream of bytes into frames, wherever the chunks end. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;

  /** The frames that these bytes complete, in order. Their bodies may share memory with `bytes`. */
  read(bytes: Uint8Array): Frame[] {
    this.#chunks.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#size += bytes.length;
    const frames: Frame[] = [];
    for (let next = this.#next(); next !== undefined; next = this.#next()) frames.push(next);
    return frames;
  }

  #next(): Frame | undefined {
    if (this.#size < HEAD_BYTES) return undefined;
    const length = bodyLength(this.#peek(HEAD_BYTES));
    if (this.#size < HEAD_BYTES + length) return undefined;
    const whole = this.#peek(HEAD_BYTES + length);
    this.#drop(whole.length);
    return decodeFrame(whole, whole.subarray(HEAD_BYTES));
  }

  /** The next bytes as one buffer, without consuming them. */
  #peek(length: number): Buffer {
    let [first = Buffer.alloc(0)] = this.#chunks;
    if (first.length < length) {
      first = Buffer.concat(this.#chunks, this.#size);
      this.#chunks = [first];
    }
    return first.subarray(0, length);
  }

  #drop(length: number): void {
    const [first = Buffer.alloc(0)] = this.#chunks;
    this.#size -= length;
    if (first.length === length) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(length);
  }
}
