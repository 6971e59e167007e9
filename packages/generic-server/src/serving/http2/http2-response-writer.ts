import type { ResponseWriter } from '@apiserver/apiserver-contracts';
import type { ChunkSink } from '../transport/chunk-pump.js';
import type { Http2Stream } from './http2-stream.js';

/** What an answer on an HTTP/2 stream is written to; the connection gathers the writes of a turn of the event loop. */
export class Http2ResponseWriter implements ResponseWriter, ChunkSink {
  readonly #stream: Http2Stream;
  #waiting: (() => void)[] = [];
  /** Bytes handed to the stream so far. */
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

  /** The transport's side: there is room again, or the stream has closed; whoever waits goes on. */
  release(): void {
    if (this.#waiting.length === 0) return;
    for (const resume of this.#waiting.splice(0)) resume();
  }
}
