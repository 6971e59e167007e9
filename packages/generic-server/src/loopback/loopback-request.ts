import type { KubeObject } from '@apiserver/apimachinery';
import {
  type ApiRequest,
  type AuthenticationResponse,
  type Authenticator,
  type RequestHeaders,
  wellKnownGroups,
  wellKnownUsers,
} from '@apiserver/apiserver-contracts';
import { parseQuery } from '../serving/request-target.js';

/** Upstream names its loopback client so, and exempts it by that name. */
const userAgent = 'kube-apiserver/loopback';

/** What code in this process asks of its own server. */
export interface LoopbackCall {
  readonly method: string;
  readonly path: string;
  readonly query?: URLSearchParams;
  /** The decoded body; never encoded on its way. */
  readonly body?: KubeObject;
}

/** A request that never was on a wire. */
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
  readonly headers: RequestHeaders = loopbackHeaders;
  readonly inProcess: { readonly body?: KubeObject };

  constructor({ method, path, query, body }: LoopbackCall) {
    this.method = method;
    this.path = path;
    this.rawQuery = query?.toString() ?? '';
    this.query = query ?? parseQuery('');
    this.url = this.rawQuery === '' ? path : `${path}?${this.rawQuery}`;
    this.inProcess = body === undefined ? {} : { body };
  }

  readBody(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array());
  }

  bodyStream(): undefined {
    return undefined;
  }
}

const headerValues: ReadonlyMap<string, string> = new Map([['user-agent', userAgent]]);

const loopbackHeaders: RequestHeaders = {
  get: (name) => headerValues.get(name.toLowerCase()),
  all: (name) => {
    const value = headerValues.get(name.toLowerCase());
    return value === undefined ? [] : [value];
  },
  names: () => headerValues.keys(),
};

const apiServer: Promise<AuthenticationResponse> = Promise.resolve({
  user: {
    name: wellKnownUsers.apiServer,
    groups: [wellKnownGroups.authenticated, wellKnownGroups.privileged],
    extra: {},
  },
});
const nobody: Promise<undefined> = Promise.resolve(undefined);

/**
 * Takes requests of this process as system:apiserver, which may do everything, and leaves the others to `authenticator`.
 * Only this process can make a LoopbackRequest: nothing that comes over a wire ever is one.
 * Upstream: k8s.io/apiserver/pkg/server.AuthorizeClientBearerToken
 */
export function withLoopback(authenticator: Authenticator | undefined): Authenticator {
  return {
    authenticateRequest: (exchange) => {
      if (exchange.request instanceof LoopbackRequest) return apiServer;
      return authenticator === undefined ? nobody : authenticator.authenticateRequest(exchange);
    },
  };
}
