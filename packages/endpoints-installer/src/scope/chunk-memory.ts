/** Size of the chunks of large responses. One chunk is also the largest response that is not compressed. */
export const CHUNK_BYTES = 128 * 1024;

/** Maximum number of returned chunks that are kept, and of those that are kept without use. */
const KEPT = 256;
const KEPT_IDLE = 8;
/** Milliseconds after which unused chunks are dropped. */
const IDLE_MS = 5_000;

/**
 * Memory for chunks, which is reused. Otherwise each large list would leave hundreds of chunks to the garbage
 * collector.
 */
export class ChunkMemory {
  readonly #own = new WeakSet<ArrayBufferLike>();
  readonly #free: Buffer[] = [];
  /** The fewest free chunks since the last look. */
  #unused = 0;
  #timer: NodeJS.Timeout | undefined;

  take(): Buffer {
    const kept = this.#free.pop();
    this.#unused = Math.min(this.#unused, this.#free.length);
    if (kept !== undefined) return kept;
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    this.#own.add(chunk.buffer);
    return chunk;
  }

  /** Call it once when the chunk is no longer referenced. A chunk in other memory is ignored. */
  readonly giveBack = ({ buffer }: Uint8Array): void => {
    if (!this.#own.has(buffer) || this.#free.length >= KEPT) return;
    this.#free.push(Buffer.from(buffer));
    if (this.#free.length > KEPT_IDLE) this.#timer ??= setTimeout(this.#drop, IDLE_MS).unref();
  };

  readonly #drop = (): void => {
    this.#free.splice(0, Math.min(this.#unused, this.#free.length - KEPT_IDLE));
    this.#unused = this.#free.length;
    this.#timer = this.#free.length > KEPT_IDLE ? setTimeout(this.#drop, IDLE_MS).unref() : undefined;
  };
}
