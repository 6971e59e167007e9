import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import type { ApiRequest, PeerCertificates, RequestHeaders } from '@apiserver/apiserver-contracts';
import type { Connection } from './connection.js';
import { Http2Body } from './http2-body.js';
import { bodyTooLarge } from './read-body.js';
import { RequestHeadersView } from './request-headers.js';
import { parseQuery, type RequestTarget } from './request-target.js';

/** What node hands over for one HTTP/2 request. */
export interface Http2Head {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly connection: Connection;
  readonly target: RequestTarget;
}

/** A request on an HTTP/2 stream. */
export class Http2Request implements ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly httpVersion = '2.0';
  readonly #head: Http2Head;
  #query: URLSearchParams | undefined = undefined;
  #headers: RequestHeaders | undefined = undefined;
  #bodyTaken = false;
  #body: Http2Body | undefined = undefined;

  constructor(head: Http2Head) {
    this.#head = head;
    this.method = head.headers[':method'] ?? 'GET';
    this.url = head.headers[':path'] ?? '/';
    this.path = head.target.path;
    this.rawQuery = head.target.rawQuery;
  }

  get query(): URLSearchParams {
    this.#query ??= parseQuery(this.rawQuery);
    return this.#query;
  }

  get headers(): RequestHeaders {
    this.#headers ??= new RequestHeadersView({ joined: this.#head.headers, raw: this.#head.rawHeaders });
    return this.#headers;
  }

  get remoteAddress(): string {
    return this.#head.connection.remoteAddress;
  }

  get host(): string {
    return this.#head.headers[':authority'] ?? this.#head.headers.host ?? '';
  }

  get secure(): boolean {
    return this.#head.connection.secure;
  }

  get peerCertificates(): PeerCertificates | undefined {
    return this.#head.connection.peerCertificates;
  }

  readBody(limit: number): Promise<Uint8Array> {
    if (this.#bodyTaken) return Promise.reject(new Error('the body of a request can be read once'));
    this.#bodyTaken = true;
    const { stream, headers } = this.#head;
    if (stream.endAfterHeaders) return Promise.resolve(new Uint8Array());
    if (headers.expect?.toLowerCase() === '100-continue' && !stream.destroyed)
      stream.additionalHeaders({ ':status': 100 });
    const declared = headers['content-length'];
    if (declared !== undefined && Number(declared) > limit) return Promise.reject(bodyTooLarge(limit));
    this.#body = new Http2Body(stream, limit);
    return this.#body.whole;
  }

  /** To be called when the stream has closed. */
  closed(): void {
    this.#body?.closed();
  }

  bodyStream(): Readable | undefined {
    const { stream, headers } = this.#head;
    if (stream.endAfterHeaders) return undefined;
    if (this.#bodyTaken) throw new Error('the body of a request can be read once');
    this.#bodyTaken = true;
    if (headers.expect?.toLowerCase() === '100-continue' && !stream.destroyed)
      stream.additionalHeaders({ ':status': 100 });
    return stream;
  }
}
