import { type HostileCase, KIB, sending } from '../../hostile-case.ts';

const LONG = 660 * KIB;

/** A request without credentials. */
function get(path: string, headers: Record<string, string> = {}): Pick<HostileCase, 'who' | 'request'> {
  return { who: 'anonymous', request: () => ({ method: 'GET', path, headers }) };
}

const encoded = (text: string) => Buffer.from(text).toString('base64url');
const MEMBERS = Array.from({ length: 40_000 }, (_, i) => `"k${i}":1`).join();

/** Claims without a signature. */
const CLAIMS: Readonly<Record<string, string>> = {
  members: `{${MEMBERS}}`,
  'nested lists': `{"iss":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
  audiences: `{"iss":"https://kubernetes.default.svc.cluster.local","aud":[${'"a",'.repeat(100_000)}"b"]}`,
  digits: `{"exp":${'9'.repeat(400_000)}}`,
};

/** Requests of a client without credentials: a head, and a body that the server refuses. */
export const ANONYMOUS_CASES: readonly HostileCase[] = [
  ...['yaml', 'json', 'cbor', 'vnd.kubernetes.protobuf'].map((type) => ({
    name: `a path of blanks, the refusal as ${type}`,
    ...get(`/${'a%20'.repeat(LONG / 4)}`, { accept: `application/${type}` }),
    status: 403,
  })),
  { name: 'a path of slashes', ...get('/'.repeat(LONG)), status: 403 },
  { name: 'a path of segments', ...get(`/${'a/'.repeat(LONG / 2)}`), status: 403 },
  { name: 'a path of dots', ...get(`/${'../'.repeat(LONG / 3)}`), status: 403 },
  { name: 'segments below a resource', ...get(`/api/v1/nodes/n/proxy/${'a/'.repeat(LONG / 2)}`), status: 403 },
  {
    name: 'a path of control characters',
    ...get(`/${'%01'.repeat(LONG / 3)}`),
    status: 403,
    maxResponse: 2 * LONG,
  },
  {
    name: 'a path of quotes',
    ...get(`/${'%22'.repeat(LONG / 3)}`, { accept: 'application/yaml' }),
    status: 403,
  },
  {
    name: 'a path of quotes and quotation marks',
    ...get(`/${"%22'".repeat(LONG / 4)}`, { accept: 'application/yaml' }),
    status: 403,
  },
  ...['yaml', 'json'].flatMap((type) =>
    Object.entries({ accents: '%C3%A9', blanks: '%C2%A0', emoji: '%F0%9F%98%80', tags: '%F3%A0%80%81' }).map(
      ([what, encoded]) => ({
        name: `a path of ${what} beyond ASCII, the refusal as ${type}`,
        ...get(`/${encoded.repeat(LONG / encoded.length)}`, { accept: `application/${type}` }),
        status: 403,
        maxResponse: 2 * LONG,
      }),
    ),
  ),
  ...Object.entries({ nothing: '%FF', 'halves of surrogates': '%ED%A0%80', 'letters and nothing': '%C3%A9%FF' }).map(
    ([what, encoded]) => ({
      name: `a path of bytes that stand for ${what}`,
      ...get(`/${encoded.repeat(LONG / encoded.length)}`),
      status: 403,
    }),
  ),
  { name: 'a path of backslashes', ...get(`/${'%5C'.repeat(LONG / 3)}`, { accept: 'application/yaml' }), status: 403 },
  {
    name: 'a path of DEL',
    ...get(`/${'%7F'.repeat(LONG / 3)}`, { accept: 'application/yaml' }),
    status: 403,
    maxResponse: 2 * LONG,
  },
  {
    name: 'a path of lines',
    ...get(`/${'%0A'.repeat(LONG / 3)}`, { accept: 'application/yaml' }),
    status: 403,
    maxResponse: 2 * LONG,
  },
  { name: 'a path of broken escapes', ...get(`/${'%'.repeat(LONG)}`), status: 400 },
  { name: 'a resource of a long name', ...get(`/api/v1/namespaces/${'x'.repeat(LONG)}/pods`), status: 403 },
  { name: 'a query of ampersands', ...get(`/api/v1/pods?${'&'.repeat(LONG)}`), status: 403 },
  {
    name: 'a query of parameters',
    ...get(`/api/v1/pods?${'a=b&'.repeat(LONG / 4)}`),
    status: 403,
  },
  {
    name: 'a selector',
    ...get(`/api/v1/pods?labelSelector=${'a,'.repeat(LONG / 2)}a`),
    status: 403,
  },
  {
    name: 'a field selector',
    ...get(`/api/v1/pods?fieldSelector=${'a=b,'.repeat(LONG / 4)}a=b`),
    status: 403,
  },
  {
    name: 'what it accepts, by commas',
    ...get('/x', { accept: ','.repeat(LONG) }),
    status: 403,
  },
  {
    name: 'what it accepts, by types',
    ...get('/x', { accept: 'a/b,'.repeat(LONG / 4) }),
    status: 403,
  },
  {
    name: 'what it accepts, by parameters',
    ...get('/x', { accept: `a/b${';a=b'.repeat(LONG / 4)}` }),
    status: 403,
  },
  { name: 'a bearer token', ...get('/x', { authorization: `Bearer ${'x'.repeat(LONG)}` }), status: 401 },
  {
    name: 'a bearer token of dots',
    ...get('/x', { authorization: `Bearer ${'.'.repeat(LONG)}` }),
    status: 401,
  },
  ...Object.entries(CLAIMS).map(([what, claims]) => ({
    name: `a bearer token with ${what} in its claims`,
    ...get('/x', { authorization: `Bearer ${encoded('{"alg":"RS256"}')}.${encoded(claims)}.${encoded('x')}` }),
    status: 401,
  })),
  {
    name: 'a bearer token with members in its header',
    ...get('/x', { authorization: `Bearer ${encoded(`{${MEMBERS},"alg":"RS256"}`)}.${encoded('{}')}.x` }),
    status: 401,
  },
  { name: 'a password', ...get('/x', { authorization: `Basic ${'x'.repeat(LONG)}` }) },
  ...['x,', ', ', ',\t', 'upgrade ', 'x upgrade,'].map((connection) => ({
    name: `an upgrade to a WebSocket, with the connection ${JSON.stringify(connection)}`,
    ...get('/x', { upgrade: 'websocket', connection: `x,${connection.repeat(LONG / connection.length)}x` }),
  })),
  {
    name: 'a bearer token of blanks',
    ...get('/x', { authorization: `Bearer x${' x'.repeat(LONG / 2)}` }),
    status: 401,
  },
  ...['a,', ',', 'base64url.bearer.authorization.k8s.io.a,'].map((protocol) => ({
    name: `protocols of a WebSocket, ${protocol}`,
    ...get('/x', {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-protocol': protocol.repeat(LONG / protocol.length),
    }),
  })),
  ...[
    ['x-forwarded-for', '1,'],
    ['x-forwarded-for', '1.1.1.1, '],
    ['x-real-ip', '1'],
    ['traceparent', '00-'],
    ['tracestate', 'a=b,'],
    ['baggage', 'a=b,'],
    ['accept-encoding', 'gzip,'],
    ['accept-encoding', ','],
    ['content-type', 'a;b=c;'],
    ['if-none-match', '"a",'],
    ['origin', '%'],
    ['x-remote-user', 'x'],
    ['connection', 'x,'],
    ['range', 'bytes=0-0,'],
    ['expect', 'x'],
    ['impersonate-group', 'a,'],
    ['impersonate-extra-a', 'a,'],
    ['warning', '299 '],
  ].map(([name = '', value = '']) => ({
    name: `the header ${name} of ${value}`,
    ...get('/version', { [name]: value.repeat(LONG / value.length) }),
  })),
  ...['9', '9h', '-', '1.', 'µs', '%'].map((part) => ({
    name: `a timeout of ${part}`,
    ...get(`/api/v1/pods?timeout=${encodeURIComponent(part).repeat(100_000)}s`),
  })),
  { name: 'a check of a long name', ...get(`/livez/${'x/'.repeat(LONG / 2)}`), status: 403 },
  { name: 'an absolute URL', ...get(`http://${'x'.repeat(LONG)}/version`) },
  {
    name: 'the discovery that anybody may read, by types',
    ...get('/version', {
      accept: 'application/json;as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2,'.repeat(9_000),
    }),
  },
  ...['selfsubjectaccessreviews', 'selfsubjectrulesreviews'].map((plural) => ({
    name: `a body of ${plural}`,
    who: 'anonymous' as const,
    request: () =>
      sending('POST', `/apis/authorization.k8s.io/v1/${plural}`, 'json', `{"spec":{${'"a":1,'.repeat(400_000)}"b":1}}`),
    status: 403,
  })),
  { name: 'a user agent', ...get('/x', { 'user-agent': 'x'.repeat(LONG) }), status: 403 },
  { name: 'an origin', ...get('/x', { origin: 'x'.repeat(LONG) }), status: 403 },
  { name: 'an impersonated user', ...get('/x', { 'impersonate-user': 'x'.repeat(LONG) }), status: 403 },
];
