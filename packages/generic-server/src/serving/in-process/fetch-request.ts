import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import type { ApiRequest, PeerCertificates, RequestHeaders } from '@apiserver/apiserver-contracts';
import { GatheredBytes } from '@apiserver/http2';
import { bodyBroken } from '../transport/broken-body.js';
import { bodyTooLarge } from '../transport/read-body.js';
import { parseQuery, type RequestTarget } from '../transport/request-target.js';

/** The caller of in-process requests, as a connection would present it. */
export interface InProcessPeer {
  readonly certificates: PeerCertificates | undefined;
  /** Added to requests that have no header of that name. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** A Request of the fetch API as a request of the server. */
export class FetchRequest implements ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly host: string;
  readonly httpVersion = '1.1';
  readonly remoteAddress = '127.0.0.1';
  readonly secure = true;
  readonly headers: RequestHeaders;
  readonly peerCertificates: PeerCertificates | undefined;
  readonly #request: Request;
  #query: URLSearchParams | undefined = undefined;

  /** `target` is parsed from `url`, the path and query of the request as the caller wrote them. */
  constructor(request: Request, { url, target }: { url: string; target: RequestTarget }, peer: InProcessPeer) {
    this.#request = request;
    this.method = request.method;
    this.url = url;
    this.path = target.path;
    this.rawQuery = target.rawQuery;
    this.host = request.headers.get('host') ?? new URL(request.url).host;
    this.headers = new FetchHeadersView(request.headers, peer.headers);
    this.peerCertificates = peer.certificates;
  }

  get query(): URLSearchParams {
    this.#query ??= parseQuery(this.rawQuery);
    return this.#query;
  }

  async readBody(limit: number): Promise<Uint8Array> {
    const { body } = this.#request;
    if (body === null) return new Uint8Array();
    const gathered = new GatheredBytes();
    for await (const chunk of chunksOf(body)) {
      gathered.push(chunk);
      if (gathered.length > limit) throw bodyTooLarge(limit);
    }
    return gathered.take();
  }

  bodyStream(): Readable | undefined {
    const { body } = this.#request;
    return body === null ? undefined : Readable.from(chunksOf(body));
  }
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  } catch {
    throw bodyBroken('unexpected EOF');
  }
}

/** The fetch API joins repeated headers with ", ", and trims their values. Headers of the peer stay separate. */
class FetchHeadersView implements RequestHeaders {
  readonly #headers: Headers;
  readonly #added: InProcessPeer['headers'];

  constructor(headers: Headers, added: InProcessPeer['headers']) {
    this.#headers = headers;
    this.#added = added;
  }

  get(name: string): string | undefined {
    return this.all(name)[0];
  }

  all(name: string): readonly string[] {
    const value = this.#headers.get(name);
    if (value !== null) return [value];
    const wanted = name.toLowerCase();
    return this.#added.filter(([added]) => added.toLowerCase() === wanted).map(([, each]) => each);
  }

  names(): Iterable<string> {
    return new Set([...this.#headers.keys(), ...this.#added.map(([name]) => name.toLowerCase())]);
  }
}
