import { Buffer } from 'node:buffer';
import { GrowingBytes } from '../backend/growing-bytes.js';
import { bodyLength, decodeFrame, type Frame, HEAD_BYTES } from './frames.js';

/** Splits a stream of bytes into frames, wherever the chunks end. */
export class FrameReader {
  /** The beginning of a frame. */
  #begun = new GrowingBytes();

  /** The frames that these bytes complete, in order. Their bodies may share memory with `bytes`. */
  read(bytes: Uint8Array): Frame[] {
    let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.#begun.length > 0) {
      this.#begun.append(bytes);
      rest = this.#begun.bytes;
    }
    const frames: Frame[] = [];
    for (let length = frameLength(rest); rest.length >= length; length = frameLength(rest)) {
      frames.push(decodeFrame(rest, rest.subarray(HEAD_BYTES, length)));
      rest = rest.subarray(length);
    }
    if (frames.length > 0) this.#begun = new GrowingBytes();
    if (this.#begun.length === 0) this.#begun.append(rest);
    return frames;
  }
}

/** The length of the frame at the start of these bytes, or of a head if they have none. */
function frameLength(bytes: Buffer): number {
  return HEAD_BYTES + (bytes.length < HEAD_BYTES ? 0 : bodyLength(bytes));
}
