/** Bytes that are allocated at once: few for the first values, and twice as many each time. */
const FIRST_SLAB_BYTES = 4 * 1024;
const SLAB_BYTES = 32 * 1024;
/** Larger values have memory of their own. */
const MAX_SHARED = 8 * 1024;

/**
 * The memory of a store's values. Encoders write them into Buffer's pool, beside bytes that live for one request.
 * There, a dozen values of a store keep hundreds of kilobytes.
 */
export class ValueMemory {
  #slab = Buffer.alloc(0);
  #used = 0;

  /** The same content in memory of the store. */
  keep(value: Uint8Array): Uint8Array {
    const { length } = value;
    if (value.buffer.byteLength === length) return value;
    if (length > MAX_SHARED) return copyOf(value, Buffer.allocUnsafeSlow(length));
    if (this.#used + length > this.#slab.length) {
      const wanted = Math.max(FIRST_SLAB_BYTES, 2 * this.#slab.length, length);
      this.#slab = Buffer.allocUnsafeSlow(Math.min(SLAB_BYTES, wanted));
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += length;
    return copyOf(value, this.#slab.subarray(start, start + length));
  }
}

function copyOf(value: Uint8Array, memory: Buffer): Buffer {
  memory.set(value);
  return memory;
}
