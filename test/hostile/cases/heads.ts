import { type HostileCase, KIB } from '../hostile-case.ts';

/** Bytes of a head; the server takes one of 1 MiB. */
const HEAD = 660 * KIB;

/** As many fields as a head has room for. */
function fields(
  field: (index: number) => readonly [name: string, value: string],
  bytes = HEAD,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0, left = bytes; left > 0; index++) {
    const [name, value] = field(index);
    left -= name.length + value.length + 4;
    headers[name] = value;
  }
  return headers;
}

/** The same name, written in another way for each number. */
function encoded(index: number): string {
  const letter = (at: number) =>
    ((index >> at) & 1) === 1 ? `%${(97 + at).toString(16)}` : String.fromCharCode(97 + at);
  return Array.from({ length: 14 }, (_, at) => letter(at)).join('');
}

function get(path: string, headers: () => Record<string, string>): Pick<HostileCase, 'who' | 'request'> {
  return { who: 'anonymous', request: () => ({ method: 'GET', path, headers: headers() }) };
}

/** Heads of many fields, by clients without credentials. */
export const HEAD_CASES: readonly HostileCase[] = [
  { name: 'fields', ...get('/x', () => fields((index) => [`x${index}`, 'y'], 400 * KIB)), status: 431 },
  {
    name: 'as many fields as may be',
    ...get('/x', () => fields((index) => [`x${index}`, 'y'], 32 * KIB)),
    status: 403,
  },
  { name: 'a cookie', ...get('/x', () => ({ cookie: 'a=b; '.repeat(HEAD / 5) })), status: 403 },
  {
    name: 'impersonated extras',
    ...get('/x', () => ({ 'impersonate-user': 'u', ...fields((index) => [`impersonate-extra-${index}`, 'y']) })),
    status: 431,
  },
  {
    name: 'impersonated extras without a user',
    ...get('/x', () => fields((index) => [`impersonate-extra-${index}`, 'y'], 90 * KIB)),
    status: 400,
    maxResponse: 4 * HEAD,
  },
  {
    name: 'impersonated extras of one key',
    ...get('/x', () => ({
      'impersonate-user': 'u',
      ...fields((index) => [`impersonate-extra-${encoded(index)}`, 'y']),
    })),
    status: 431,
  },
  {
    name: 'a quality of many digits',
    ...get('/x', () => ({ accept: `a/b;q=${'9'.repeat(HEAD)}x` })),
    status: 403,
  },
  { name: 'checks to exclude', ...get(`/livez?${'exclude=a&'.repeat(9_000)}`, () => ({})), status: 200 },
  {
    name: 'checks to exclude, all of them others',
    ...get(`/livez?${Array.from({ length: 9_000 }, (_, index) => `exclude=${index}`).join('&')}`, () => ({})),
    status: 200,
  },
  { name: 'a query of escapes', ...get(`/api/v1/pods?${'%61=b&'.repeat(9_000)}`, () => ({})), status: 403 },
];
