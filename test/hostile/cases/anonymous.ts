import { type HostileCase, KIB } from '../hostile-case.ts';

const LONG = 660 * KIB;

/** A request without credentials. */
function get(path: string, headers: Record<string, string> = {}): Pick<HostileCase, 'who' | 'request'> {
  return { who: 'anonymous', request: () => ({ method: 'GET', path, headers }) };
}

/** Requests of a client without credentials: a head, and a body that the server does not read. */
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
    maxAnswer: 2 * LONG,
  },
  {
    name: 'a path of quotes',
    ...get(`/${'%22'.repeat(LONG / 3)}`, { accept: 'application/yaml' }),
    status: 403,
  },
  {
    known: 'takes 9 to 13 ms: nearly each character is escaped twice',
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
        maxAnswer: 2 * LONG,
      }),
    ),
  ),
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
  { name: 'a user agent', ...get('/x', { 'user-agent': 'x'.repeat(LONG) }), status: 403 },
  { name: 'an origin', ...get('/x', { origin: 'x'.repeat(LONG) }), status: 403 },
  { name: 'an impersonated user', ...get('/x', { 'impersonate-user': 'x'.repeat(LONG) }), status: 403 },
];
