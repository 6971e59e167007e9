import type { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import { GatheredBytes } from '@apiserver/http2';
import { bodyBroken } from '../transport/broken-body.js';
import { bodyTooLarge } from '../transport/read-body.js';
import type { Http2Stream } from './http2-stream.js';

/** Handlers for the body of a request. */
export interface BodySink {
  data(chunk: Buffer): void;
  /** The body is complete. */
  end(): void;
  /** The stream has closed: an incomplete body stays incomplete. */
  brokenOff(): void;
}

/** Collects a body in one buffer. */
export class Http2Body implements BodySink {
  /** The whole body. Rejects like `readBody`. */
  readonly whole: Promise<Uint8Array>;
  readonly #stream: Http2Stream;
  readonly #limit: number;
  readonly #settle: PromiseWithResolvers<Uint8Array>;
  #gathered: GatheredBytes | undefined = new GatheredBytes();

  /** `limit`: largest body in bytes. */
  constructor(stream: Http2Stream, limit: number) {
    this.#settle = Promise.withResolvers();
    this.whole = this.#settle.promise;
    this.#stream = stream;
    this.#limit = limit;
  }

  data(chunk: Buffer): void {
    if (this.#gathered === undefined) return;
    this.#gathered.push(chunk);
    if (this.#gathered.length <= this.#limit) return;
    this.#gathered = undefined;
    this.#stream.pause();
    this.#settle.reject(bodyTooLarge(this.#limit));
  }

  end(): void {
    if (this.#gathered === undefined) return;
    this.#settle.resolve(this.#gathered.take());
    this.#gathered = undefined;
  }

  brokenOff(): void {
    if (this.#gathered === undefined) return;
    this.#gathered = undefined;
    this.#settle.reject(bodyBroken('unexpected EOF'));
  }
}

/** A body as a stream. The client sends no more than its reader consumes. */
export class Http2BodyStream extends Readable implements BodySink {
  readonly #stream: Http2Stream;
  #isWhole = false;

  constructor(stream: Http2Stream) {
    super();
    this.#stream = stream;
    // A reader gets the error as well. Without a reader it must not be uncaught.
    this.on('error', () => {});
  }

  override _read(): void {
    if (!this.#isWhole) this.#stream.read();
  }

  data(chunk: Buffer): void {
    if (!this.push(chunk)) this.#stream.pause();
  }

  end(): void {
    if (this.#isWhole) return;
    this.#isWhole = true;
    this.push(null);
  }

  brokenOff(): void {
    if (!this.#isWhole) this.destroy(bodyBroken('unexpected EOF'));
  }
}
