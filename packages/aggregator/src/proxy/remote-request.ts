import type { ApiRequest, Exchange, RequestHeaders, UserInfo } from '@apiserver/apiserver-contracts';

const IDENTITY = ['x-remote-user', 'x-remote-uid', 'x-remote-group'];
const EXTRA = 'x-remote-extra-';

/**
 * The headers that carry the user's identity to a remote server; names are in lower case.
 * Upstream: SetAuthProxyHeaders of k8s.io/client-go/transport/round_trippers.go
 */
export function identityHeaders({ name, uid = '', groups, extra }: UserInfo): ReadonlyMap<string, readonly string[]> {
  return new Map([
    ['x-remote-user', [name]],
    ...(uid === '' ? [] : [['x-remote-uid', [uid]] as const]),
    ...(groups.length === 0 ? [] : [['x-remote-group', groups] as const]),
    ...Object.entries(extra).map(([key, values]) => [`${EXTRA}${escapedKey(key)}`.toLowerCase(), values] as const),
  ]);
}

/**
 * An exchange whose request carries the user's identity and none of the client's own identity headers. It has the audit
 * ID of this server, so that the records of both servers belong together. A traced request also carries the trace, as
 * far as this server has it. `added`: further headers, by names in lower case. `signal`: aborts at the latest when the
 * exchange's own does, which is the default.
 */
export function exchangeAs(
  exchange: Exchange,
  user: UserInfo,
  added: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Exchange {
  const request = new RemoteRequest(exchange.request, ownHeaders(exchange, user, added));
  return {
    request,
    responseHeaders: exchange.responseHeaders,
    context: exchange.context,
    get signal() {
      return signal ?? exchange.signal;
    },
    abort: (reason) => exchange.abort(reason),
    onFinished: (listener) => exchange.onFinished(listener),
  };
}

/** The call of the remote server is a span. Upstream: tracing.WrapperFor in k8s.io/kube-aggregator/pkg/apiserver */
function ownHeaders(
  exchange: Exchange,
  user: UserInfo,
  added: Readonly<Record<string, string>>,
): ReadonlyMap<string, readonly string[]> {
  const { context, request, responseHeaders } = exchange;
  const auditId = responseHeaders.get('audit-id');
  const identity = new Map([
    ...identityHeaders(user),
    ...Object.entries({ ...(auditId && { 'audit-id': auditId }), ...added }).map(
      ([name, value]) => [name, [value]] as const,
    ),
  ]);
  const call = context.span?.start(`HTTP ${request.method}`, { 'http.request.method': request.method }, 'httpCall');
  if (call === undefined) return identity;
  exchange.onFinished(({ status }) => {
    if (status > 0) call.setAttributes({ 'http.response.status_code': status });
    call.end();
  });
  return new Map([...identity, ...Object.entries(call.headers).map(([name, value]) => [name, [value]] as const)]);
}

/** Upstream: headerKeyEscape */
function escapedKey(key: string): string {
  const bytes = new TextEncoder().encode(key);
  return Array.from(bytes, (byte) => {
    const char = String.fromCharCode(byte);
    return /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

class RemoteHeaders implements RequestHeaders {
  readonly #client: RequestHeaders;
  readonly #own: ReadonlyMap<string, readonly string[]>;

  constructor(client: RequestHeaders, own: ReadonlyMap<string, readonly string[]>) {
    this.#client = client;
    this.#own = own;
  }

  get(name: string): string | undefined {
    const values = this.all(name);
    return values.length === 0 ? undefined : values.join(', ');
  }

  all(name: string): readonly string[] {
    const lower = name.toLowerCase();
    return this.#own.get(lower) ?? (isIdentity(lower) ? [] : this.#client.all(lower));
  }

  *names(): Iterable<string> {
    for (const name of this.#client.names()) if (!isIdentity(name) && !this.#own.has(name)) yield name;
    yield* this.#own.keys();
  }
}

function isIdentity(name: string): boolean {
  return IDENTITY.includes(name) || name.startsWith(EXTRA);
}

/** The client's request with different headers. */
class RemoteRequest implements ApiRequest {
  readonly headers: RequestHeaders;
  readonly #request: ApiRequest;

  constructor(request: ApiRequest, own: ReadonlyMap<string, readonly string[]>) {
    this.#request = request;
    this.headers = new RemoteHeaders(request.headers, own);
  }

  get method() {
    return this.#request.method;
  }
  get url() {
    return this.#request.url;
  }
  get path() {
    return this.#request.path;
  }
  get rawQuery() {
    return this.#request.rawQuery;
  }
  get query() {
    return this.#request.query;
  }
  get httpVersion() {
    return this.#request.httpVersion;
  }
  get remoteAddress() {
    return this.#request.remoteAddress;
  }
  get host() {
    return this.#request.host;
  }
  get secure() {
    return this.#request.secure;
  }
  get peerCertificates() {
    return this.#request.peerCertificates;
  }
  readBody(limit: number) {
    return this.#request.readBody(limit);
  }
  bodyStream() {
    return this.#request.bodyStream();
  }
}
