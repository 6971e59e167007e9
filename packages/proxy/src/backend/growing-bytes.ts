import { Buffer } from 'node:buffer';

/** Bytes that arrive in chunks, in one buffer. The cost is that of the bytes, even if each comes in a chunk of its own. */
export class GrowingBytes {
  #buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** All bytes so far. They stay as they are when others are appended. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#length));
      grown.set(this.bytes);
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
  }
}
