/** Size of the chunks of large responses. One chunk is also the largest response that is not compressed. */
export const CHUNK_BYTES = 128 * 1024;

/** Maximum number of returned chunks that are kept. */
const KEPT = 8;

/**
 * Memory for chunks, which is reused. Otherwise each large list would leave hundreds of chunks to the garbage
 * collector.
 */
export class ChunkMemory {
  readonly #own = new WeakSet<ArrayBufferLike>();
  readonly #free: Buffer[] = [];

  take(): Buffer {
    const kept = this.#free.pop();
    if (kept !== undefined) return kept;
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    this.#own.add(chunk.buffer);
    return chunk;
  }

  /** Call it once when the chunk is no longer referenced. A chunk in other memory is ignored. */
  readonly giveBack = ({ buffer }: Uint8Array): void => {
    if (this.#own.has(buffer) && this.#free.length < KEPT) this.#free.push(Buffer.from(buffer));
  };
}
