import type { Writable } from 'node:stream';
import type { ChunkSink } from '../transport/chunk-pump.js';

/** A Node stream as a sink of chunks. */
export class WritableSink implements ChunkSink {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  get closed(): boolean {
    return this.#stream.destroyed;
  }

  write(chunk: Uint8Array): boolean {
    return this.#stream.write(chunk);
  }

  drained(): Promise<void> {
    const stream = this.#stream;
    return new Promise((resolve) => {
      const done = () => {
        stream.off('drain', done).off('close', done);
        resolve();
      };
      if (stream.destroyed) resolve();
      else stream.on('drain', done).on('close', done);
    });
  }

  end(): void {
    this.#stream.end();
  }
}
