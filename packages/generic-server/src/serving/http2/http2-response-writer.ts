import type { ResponseWriter } from '@apiserver/apiserver-contracts';
import type { ChunkSink } from '../transport/chunk-pump.js';
import type { Http2Stream } from './http2-stream.js';

/** Writes a response to an HTTP/2 stream. The connection collects the writes of a turn of the event loop. */
export class Http2ResponseWriter implements ResponseWriter, ChunkSink {
  readonly #stream: Http2Stream;
  #waiting: (() => void)[] = [];
  /** Bytes written to the stream so far. */
  bytesWritten = 0;

  constructor(stream: Http2Stream) {
    this.#stream = stream;
  }

  write(chunk: Uint8Array): boolean {
    if (!this.#stream.closed) this.bytesWritten += chunk.length;
    return this.#stream.write(chunk);
  }

  get bufferedBytes(): number {
    return this.#stream.queuedBytes;
  }

  get closed(): boolean {
    return this.#stream.closed || this.#stream.ending;
  }

  drained(): Promise<void> {
    if (this.closed || !this.#stream.isFull) return Promise.resolve();
    this.#stream.askDrained();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  end(): void {
    this.#stream.end();
  }

  /** For the transport: the stream has room again or has closed, and waiting writers continue. */
  release(): void {
    if (this.#waiting.length === 0) return;
    for (const resume of this.#waiting.splice(0)) resume();
  }
}
