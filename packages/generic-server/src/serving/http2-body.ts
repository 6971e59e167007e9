import { Buffer } from 'node:buffer';
import type { ServerHttp2Stream } from 'node:http2';
import { newBadRequest } from '@apiserver/apimachinery';
import { bodyTooLarge } from './read-body.js';

/**
 * The body of a request on an HTTP/2 stream as it comes in. Listening costs more than reading a small body, so it listens
 * to nothing but the body: its owner says when the stream has closed, and takes the listeners away then.
 */
export class Http2Body {
  /** The whole body. Rejects as `readBody` does. */
  readonly whole: Promise<Uint8Array>;
  readonly #stream: ServerHttp2Stream;
  readonly #limit: number;
  readonly #settle: Omit<PromiseWithResolvers<Uint8Array>, 'promise'>;
  #chunks: Buffer[] | undefined = [];
  #size = 0;

  constructor(stream: ServerHttp2Stream, limit: number) {
    const { promise, ...settle } = Promise.withResolvers<Uint8Array>();
    this.whole = promise;
    this.#settle = settle;
    this.#stream = stream;
    this.#limit = limit;
    if (stream.readableEnded) this.#end();
    else if (stream.destroyed) this.closed();
    else stream.on('data', (chunk: Buffer) => this.#take(chunk)).on('end', () => this.#end());
  }

  /** The stream has closed: what has not come by now never will. */
  closed(): void {
    if (this.#chunks === undefined) return;
    this.#chunks = undefined;
    this.#settle.reject(newBadRequest('unexpected EOF'));
  }

  #take(chunk: Buffer): void {
    if (this.#chunks === undefined) return;
    this.#size += chunk.length;
    this.#chunks.push(chunk);
    if (this.#size <= this.#limit) return;
    this.#chunks = undefined;
    this.#stream.pause();
    this.#settle.reject(bodyTooLarge(this.#limit));
  }

  /** Node ends a stream that was reset as one that is whole. */
  #end(): void {
    if (this.#stream.aborted) this.closed();
    if (this.#chunks === undefined) return;
    const [only] = this.#chunks;
    this.#settle.resolve(this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks));
    this.#chunks = undefined;
  }
}
