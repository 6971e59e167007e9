/** Bytes of a small buffer, which most writes fit in. */
const SMALL_BUFFER = 16 * 1024;
/** Bytes of a large buffer, for large responses. */
export const LARGE_BUFFER = 256 * 1024;
/** Free buffers of each size that the pool keeps. */
const KEPT_SMALL = 64;
const KEPT_LARGE = 32;

/** Buffers for output, shared by all connections. A connection holds buffers only while it has output. */
export class BufferPool {
  readonly #small: Buffer[] = [];
  readonly #large: Buffer[] = [];

  take(size: 'small' | 'large'): Buffer {
    if (size === 'small') return this.#small.pop() ?? Buffer.allocUnsafeSlow(SMALL_BUFFER);
    return this.#large.pop() ?? Buffer.allocUnsafeSlow(LARGE_BUFFER);
  }

  /** Returns a buffer to the pool. The caller must have no further reference to it. */
  giveBack(buffer: Buffer): void {
    if (buffer.length === SMALL_BUFFER) {
      if (this.#small.length < KEPT_SMALL) this.#small.push(buffer);
    } else if (this.#large.length < KEPT_LARGE) this.#large.push(buffer);
  }
}
