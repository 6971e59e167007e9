import type { Readable } from 'node:stream';
import type { ApiRequest, PeerCertificates, RequestHeaders } from '@apiserver/apiserver-contracts';
import type { Connection } from '../transport/connection.js';
import { bodyTooLarge } from '../transport/read-body.js';
import { parseQuery, type RequestTarget } from '../transport/request-target.js';
import { type BodySink, Http2Body, Http2BodyStream } from './http2-body.js';
import { Http2Headers } from './http2-headers.js';
import type { Http2Stream } from './http2-stream.js';

/** A request on an HTTP/2 stream. */
export class Http2Request implements ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly httpVersion = '2.0';
  readonly #stream: Http2Stream;
  readonly #connection: Connection;
  #query: URLSearchParams | undefined = undefined;
  #headers: RequestHeaders | undefined = undefined;
  #bodyTaken = false;
  #body: BodySink | undefined = undefined;

  constructor(stream: Http2Stream, target: RequestTarget, connection: Connection) {
    this.#stream = stream;
    this.#connection = connection;
    this.method = stream.head.method;
    this.url = stream.head.path;
    this.path = target.path;
    this.rawQuery = target.rawQuery;
  }

  get query(): URLSearchParams {
    this.#query ??= parseQuery(this.rawQuery);
    return this.#query;
  }

  get headers(): RequestHeaders {
    this.#headers ??= new Http2Headers(this.#stream.head);
    return this.#headers;
  }

  get remoteAddress(): string {
    return this.#connection.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#connection.remotePort;
  }

  get host(): string {
    return this.#stream.head.authority;
  }

  get secure(): boolean {
    return this.#connection.secure;
  }

  get peerCertificates(): PeerCertificates | undefined {
    return this.#connection.peerCertificates;
  }

  readBody(limit: number): Promise<Uint8Array> {
    if (this.#bodyTaken) return Promise.reject(new Error('the body of a request can be read once'));
    this.#bodyTaken = true;
    const stream = this.#stream;
    if (!stream.hasBody) return Promise.resolve(new Uint8Array());
    this.#continue();
    const declared = stream.head.contentLength;
    if (declared !== undefined && declared > limit) return Promise.reject(bodyTooLarge(limit));
    const body = new Http2Body(stream, limit);
    this.#take(body);
    return body.whole;
  }

  bodyStream(): Readable | undefined {
    if (!this.#stream.hasBody) return undefined;
    if (this.#bodyTaken) throw new Error('the body of a request can be read once');
    this.#bodyTaken = true;
    this.#continue();
    const body = new Http2BodyStream(this.#stream);
    this.#body = body;
    if (this.#stream.closed) body.brokenOff();
    return body;
  }

  /** Receives a part of the body. */
  data(chunk: Buffer): void {
    this.#body?.data(chunk);
  }

  bodyEnded(): void {
    this.#body?.end();
  }

  /** Call it when the stream has closed. */
  closed(): void {
    this.#body?.brokenOff();
  }

  #take(body: Http2Body): void {
    this.#body = body;
    if (this.#stream.closed) body.brokenOff();
    else this.#stream.read();
  }

  /** Sends 100 Continue to a client that waits for it. */
  #continue(): void {
    // After the head of the response it would break the stream.
    if (this.#stream.responded) return;
    if (this.headers.get('expect')?.toLowerCase() === '100-continue') this.#stream.respond(100, {}, false);
  }
}
