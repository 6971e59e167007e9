import type { Exchange, PeerCertificates } from '@apiserver/apiserver-contracts';

/** The parts of a request that authenticators read. */
export interface AuthenticationRequest {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly certificates?: PeerCertificates;
}

/** An exchange for an authenticator under test, with the recorded warnings. */
export function testAuthenticationExchange(given: AuthenticationRequest = {}): {
  readonly exchange: Exchange;
  readonly warnings: readonly string[];
} {
  const warnings: string[] = [];
  const headers = new Map(Object.entries(given.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const all = (name: string) => [headers.get(name.toLowerCase()) ?? []].flat();
  const values = new Map<symbol, unknown>();
  const exchange: Exchange = {
    request: {
      method: 'GET',
      url: '/',
      path: '/',
      rawQuery: '',
      query: new URLSearchParams(),
      headers: {
        get: (name) => (all(name).length === 0 ? undefined : all(name).join(', ')),
        all,
        names: () => headers.keys(),
      },
      httpVersion: '2.0',
      remoteAddress: '192.0.2.1',
      host: 'example.com',
      secure: true,
      peerCertificates: given.certificates,
      readBody: async () => new Uint8Array(),
      bodyStream: () => undefined,
    },
    responseHeaders: {
      get: () => undefined,
      set: () => {},
      append: () => {},
      has: () => false,
      delete: () => {},
      entries: () => [],
    },
    context: {
      receivedAt: 0,
      startedAt: 0,
      requestInfo: undefined,
      user: undefined,
      audiences: undefined,
      warnings: { warn: (text) => warnings.push(text) },
      deadline: undefined,
      audit: undefined,
      watchInitialized: undefined,
      values,
    },
    signal: new AbortController().signal,
    abort: () => {},
    onFinished: () => {},
  };
  return { exchange, warnings };
}
