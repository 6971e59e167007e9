import { Buffer } from 'node:buffer';
import { Readable } from 'node:stream';
import type { KubeObject } from '@apiserver/apimachinery';
import { stringifyJson } from '@apiserver/apimachinery/codec/json';
import {
  type ApiRequest,
  type AuthenticationResponse,
  type Authenticator,
  type RequestHeaders,
  wellKnownGroups,
  wellKnownUsers,
} from '@apiserver/apiserver-contracts';
import { parseQuery } from '../serving/transport/request-target.js';

/** The user agent of upstream's loopback client, which filters exempt by it. */
const USER_AGENT = 'kube-apiserver/loopback';

/** A request of code in this process to its own server. */
export interface LoopbackCall {
  readonly method: string;
  readonly path: string;
  readonly query?: URLSearchParams;
  /** The decoded body. It is encoded for another server only. */
  readonly body?: KubeObject;
  /** A body as bytes, instead of a decoded one. */
  readonly content?: LoopbackContent;
  /** The media type of the response. Default: the server's choice. */
  readonly accept?: string;
  /** The tag of a known response: an equal one has no body, and the status 304. */
  readonly ifNoneMatch?: string;
}

/** A body with its type. */
interface LoopbackContent {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** A request without a connection. */
export class LoopbackRequest implements ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly query: URLSearchParams;
  readonly httpVersion = '1.1';
  readonly remoteAddress = '127.0.0.1';
  readonly host = 'localhost';
  readonly secure = true;
  readonly peerCertificates = undefined;
  readonly headers: RequestHeaders;
  readonly inProcess: { readonly body?: KubeObject };
  readonly #bytes: Uint8Array;

  constructor(call: LoopbackCall) {
    const { method, path, query, body, content } = call;
    this.method = method;
    this.path = path;
    this.rawQuery = query?.toString() ?? '';
    this.query = query ?? parseQuery('');
    this.url = this.rawQuery === '' ? path : `${path}?${this.rawQuery}`;
    this.inProcess = body === undefined ? {} : { body };
    this.headers = headersOf(call);
    this.#bytes = content?.bytes ?? new Uint8Array();
  }

  readBody(): Promise<Uint8Array> {
    return Promise.resolve(this.#bytes);
  }

  /** For another server, such as that of an APIService: it gets a decoded body as JSON. */
  bodyStream(): Readable | undefined {
    const { body } = this.inProcess;
    const bytes = body === undefined ? this.#bytes : Buffer.from(stringifyJson(body));
    return bytes.length === 0 ? undefined : Readable.from([bytes]);
  }
}

const loopbackHeaders: RequestHeaders = headersWith({});

type HeadersOfCall = Pick<LoopbackCall, 'content' | 'accept' | 'ifNoneMatch'>;

/** Most calls have the same headers. */
function headersOf(call: HeadersOfCall): RequestHeaders {
  const { content, accept, ifNoneMatch } = call;
  const isPlain = content === undefined && accept === undefined && ifNoneMatch === undefined;
  return isPlain ? loopbackHeaders : headersWith(call);
}

function headersWith({ content, accept, ifNoneMatch }: HeadersOfCall): RequestHeaders {
  const values = new Map([['user-agent', USER_AGENT]]);
  if (content !== undefined) {
    values.set('content-type', content.mediaType).set('content-length', String(content.bytes.length));
  }
  if (accept !== undefined) values.set('accept', accept);
  if (ifNoneMatch !== undefined) values.set('if-none-match', ifNoneMatch);
  return {
    get: (name) => values.get(name.toLowerCase()),
    all: (name) => {
      const value = values.get(name.toLowerCase());
      return value === undefined ? [] : [value];
    },
    names: () => values.keys(),
  };
}

const apiServer: AuthenticationResponse = {
  user: {
    name: wellKnownUsers.apiServer,
    groups: [wellKnownGroups.authenticated, wellKnownGroups.privileged],
    extra: {},
  },
};

/**
 * Authenticates requests of this process as system:apiserver, which may do everything. `authenticator` authenticates
 * all others. A request from a connection is never a LoopbackRequest.
 * Upstream: k8s.io/apiserver/pkg/server.AuthorizeClientBearerToken
 */
export function withLoopback(authenticator: Authenticator | undefined): Authenticator {
  return {
    authenticateRequest: (exchange) => {
      if (exchange.request instanceof LoopbackRequest) return apiServer;
      return authenticator?.authenticateRequest(exchange);
    },
  };
}
