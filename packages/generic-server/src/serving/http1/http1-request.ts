import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { ApiRequest, PeerCertificates, RequestHeaders } from '@apiserver/apiserver-contracts';
import { brokenBody } from '../transport/broken-body.js';
import type { Connection } from '../transport/connection.js';
import { readBody } from '../transport/read-body.js';
import { RequestHeadersView } from '../transport/request-headers.js';
import { parseQuery, type RequestTarget } from '../transport/request-target.js';
import { hasBody } from './unread-body.js';

/** A request as Node's IncomingMessage: from HTTP/1, or through a host framework. */
export class Http1Request implements ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly httpVersion: '1.0' | '1.1' | '2.0';
  readonly headers: RequestHeaders;
  readonly #message: IncomingMessage;
  readonly #connection: Connection;
  #query: URLSearchParams | undefined = undefined;
  readonly #host: string | undefined;
  readonly #welcome: (() => void) | undefined;
  #bodyTaken = false;

  /** `welcome` sends 100 Continue to a client that waits for it. */
  constructor(message: IncomingMessage, target: RequestTarget, connection: Connection, welcome?: () => void) {
    this.#message = message;
    this.#connection = connection;
    this.method = message.method ?? 'GET';
    this.url = message.url ?? '/';
    this.path = target.path;
    this.rawQuery = target.rawQuery;
    this.#host = target.host;
    this.#welcome = welcome;
    this.httpVersion = versionOf(message.httpVersion);
    this.headers = new RequestHeadersView({ joined: message.headers, raw: message.rawHeaders, bytewise: true });
  }

  get query(): URLSearchParams {
    this.#query ??= parseQuery(this.rawQuery);
    return this.#query;
  }

  get remoteAddress(): string {
    return this.#connection.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#connection.remotePort;
  }

  get host(): string {
    return this.#host ?? this.headers.get('host') ?? this.headers.get(':authority') ?? '';
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
    const broken = brokenBody(this.#message);
    if (broken !== undefined) return Promise.reject(broken);
    this.#welcome?.();
    return readBody(this.#message, this.headers.get('content-length'), limit);
  }

  bodyStream(): Readable | undefined {
    const message = this.#message;
    if (!hasBody(message)) return undefined;
    if (this.#bodyTaken) throw new Error('the body of a request can be read once');
    this.#bodyTaken = true;
    const broken = brokenBody(message);
    if (broken !== undefined) throw broken;
    this.#welcome?.();
    return message;
  }
}

function versionOf(version: string): '1.0' | '1.1' | '2.0' {
  return version === '1.0' || version === '2.0' ? version : '1.1';
}
