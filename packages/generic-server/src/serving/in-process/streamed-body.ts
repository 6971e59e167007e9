import type { ResponseWriter } from '@apiserver/apiserver-contracts';
import type { ChunkSink } from '../transport/chunk-pump.js';

/** Bytes that wait for the reader before the writer is asked to wait. */
const HIGH_WATER_MARK = 64 * 1024;

/** The body of a response that is written piece by piece. The reader gets copies, because writers may share chunks. */
export class StreamedBody implements ResponseWriter, ChunkSink {
  readonly readable: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined = undefined;
  #closed = false;
  #waiting: (() => void)[] = [];
  /** Bytes written so far. */
  bytesWritten = 0;

  /** `cancelled` is called when the reader gives up. */
  constructor(cancelled: (reason: unknown) => void) {
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#release(),
        cancel: (reason) => {
          this.#close();
          cancelled(reason);
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER_MARK }),
    );
  }

  write(chunk: Uint8Array): boolean {
    if (this.#closed) return true;
    this.bytesWritten += chunk.length;
    if (chunk.length > 0) this.#controller?.enqueue(Uint8Array.from(chunk));
    return this.#room > 0;
  }

  get bufferedBytes(): number {
    return Math.max(0, HIGH_WATER_MARK - this.#room);
  }

  get closed(): boolean {
    return this.#closed;
  }

  drained(): Promise<void> {
    if (this.#closed || this.#room > 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  end(): void {
    if (this.#closed) return;
    this.#close();
    this.#controller?.close();
  }

  /** The rest of the body will not come: the reader gets the error. */
  breakOff(error: unknown): void {
    if (this.#closed) return;
    this.#close();
    this.#controller?.error(error);
  }

  get #room(): number {
    return this.#controller?.desiredSize ?? 0;
  }

  #close(): void {
    this.#closed = true;
    this.#release();
  }

  #release(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}
