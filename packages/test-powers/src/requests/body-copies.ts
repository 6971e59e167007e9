import { Buffer } from 'node:buffer';

/** Bytes that are allocated at once: few for the first bodies, and twice as many each time. */
const FIRST_SLAB_BYTES = 4 * 1024;
const SLAB_BYTES = 64 * 1024;
/** Larger bodies have memory of their own. */
const MAX_SHARED = 8 * 1024;

/**
 * Copies bodies into shared memory, which costs a fraction of an allocation for each. Records go in the order in which
 * they came, and so does their memory.
 */
export class BodyCopies {
  #slab = Buffer.alloc(0);
  #used = 0;

  copy(bytes: Uint8Array): Uint8Array {
    if (bytes.length > MAX_SHARED) return new Uint8Array(bytes);
    if (this.#used + bytes.length > this.#slab.length) {
      const wanted = Math.max(FIRST_SLAB_BYTES, 2 * this.#slab.length, bytes.length);
      this.#slab = Buffer.allocUnsafeSlow(Math.min(SLAB_BYTES, wanted));
      this.#used = 0;
    }
    const copy = this.#slab.subarray(this.#used, this.#used + bytes.length);
    copy.set(bytes);
    this.#used += bytes.length;
    return copy;
  }
}
