import { randomFillSync } from 'node:crypto';

/** A request to the generator takes as long for one nonce as for a hundred. */
const POOL_BYTES = 4096;

/**
 * Random bytes for nonces, drawn from OpenSSL's generator in advance. Each byte is handed out once. A copy of the running
 * process, as from a snapshot of its machine, would hand out the same bytes.
 */
export class Nonces {
  #pool = Buffer.alloc(0);
  #next = 0;

  /** A new buffer of `size` random bytes; at most 4,096. */
  take(size: number): Buffer {
    if (this.#next + size > this.#pool.length) {
      if (this.#pool.length === 0) this.#pool = Buffer.allocUnsafeSlow(POOL_BYTES);
      randomFillSync(this.#pool);
      this.#next = 0;
    }
    const nonce = Buffer.from(this.#pool.subarray(this.#next, this.#next + size));
    this.#next += size;
    return nonce;
  }
}
