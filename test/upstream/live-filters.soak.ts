import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { comparableValue, type LiveObjects, makeLiveObjects } from './live-objects.ts';
import { describeLive, type LiveRequest, type LiveResponse, type LiveServer } from './live-servers.ts';
import { mutated } from './mutated-text.ts';
import { randomDecision } from './random-decision.ts';

const ROOT = '/apis/live.example.com/v1/namespaces/n/widgets';
const PATHS = [
  ...[
    ROOT,
    ROOT,
    `${ROOT}/a`,
    `${ROOT}/none`,
    `${ROOT}/a/status`,
    '/apis/live.example.com/v1/widgets',
    `${ROOT}?watch=true&timeoutSeconds=1`,
  ],
  ...[
    '/version',
    '/version/',
    '/healthz',
    '/livez',
    '/readyz',
    '/healthz/ping',
    '/livez/ping',
    '/readyz/ping',
    '/readyz/etcd',
  ],
  ...['/readyz/shutdown', '/livez/none', '/healthz/', '/readyz/log?verbose', '/readyz/ping?verbose', '/healthz/etcd'],
  ...[
    '/readyz?verbose',
    '/livez?verbose=1',
    '/healthz?verbose=false',
    '/readyz?exclude=ping',
    '/readyz?verbose&exclude=ping&exclude=etcd',
  ],
  ...[
    '/readyz?verbose&exclude=none',
    '/readyz?exclude=none&exclude=x',
    '/livez?exclude=',
    '/readyz?exclude=ping,etcd&verbose',
  ],
  ...[
    '/none',
    '/apis/none',
    '/apis/none/v1',
    '/apis/live.example.com/v3',
    '/apis/live.example.com/v1/none',
    `${ROOT}/a/none`,
    '//',
    '/a//b',
    '/healthz/../version',
  ],
  ...['/apis/live.example.com/v1', '/apis/live.example.com/v1beta1', '/metrics/none', '/debug/none', '/logs', '/ui'],
] as [string, ...string[]];
const METHODS = [
  'GET',
  'GET',
  'GET',
  'GET',
  'HEAD',
  'OPTIONS',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'TRACE',
  'FOO',
] as const;
const ORIGINS = [
  'https://evil.com/example.com',
  ...[
    'https://example.com',
    'http://example.com:8080',
    'https://a.b',
    'https://a.b:1',
    'null',
    '',
    'example.com',
    'HTTPS://EXAMPLE.COM',
  ],
] as [string, ...string[]];
const TOKENS = [
  'Bearer admin',
  'Bearer admin',
  '$own',
  '$own',
  '$own',
  'Bearer bob',
  'Bearer x',
  'Bearer ',
  'bearer alice',
  'Basic YTpi',
  'Bearer  alice',
  'x',
] as const;
const USERS = [
  'carol',
  'alice',
  'system:serviceaccount:n:s',
  'system:serviceaccount:n',
  'system:node:n1',
  'system:anonymous',
  '',
  'Ã©',
  'system:masters',
  'system:serviceaccount:n:s:x',
  'system:node:',
] as const;
const GROUPS = [
  'dev',
  'system:masters',
  'system:authenticated',
  'system:unauthenticated',
  'system:serviceaccounts',
  'a b',
  '',
] as const;
const EXTRAS = [
  'impersonate-extra-scopes',
  'impersonate-extra-Foo',
  'impersonate-extra-acme.com%2fproject',
  'impersonate-extra-a%zz',
  'impersonate-extra-',
  'impersonate-extra-authentication.kubernetes.io%2fnode-name',
  'impersonate-extra-authentication.kubernetes.io%2fpod-name',
] as const;
const TIMEOUTS = ['1s', '0', '0s', '-1s', '90m', 'x', '', '1', '100ms', '60s', '61s'] as const;

const MAX_USERS = 10_000;

interface LiveCase {
  readonly request: LiveRequest;
}

function impersonation(random: Random): Record<string, string | string[]> {
  return {
    ...(random.chance(0.85) && { 'impersonate-user': random.of(USERS) }),
    ...(random.chance(0.4) && {
      'impersonate-group': random.chance(0.4) ? [random.of(GROUPS), random.of(GROUPS)] : random.of(GROUPS),
    }),
    ...(random.chance(0.2) && { 'impersonate-uid': random.of(['u1', '', 'x y']) }),
    ...(random.chance(0.3) && { [random.of(EXTRAS)]: random.chance(0.3) ? ['a', 'b'] : random.of(['v', '', 'n1']) }),
    ...(random.chance(0.1) && { [random.of(EXTRAS)]: 'w' }),
  };
}

/** A server remembers how a user impersonates others, so each case has a user of its own. */
function authentication(random: Random): Record<string, string | string[]> {
  cases++;
  if (random.chance(0.1)) return {};
  const own = `Bearer user${cases % MAX_USERS}`;
  if (random.chance(0.35)) return { authorization: own, ...impersonation(random) };
  return { authorization: random.of(TOKENS).replace('$own', own) };
}

function cors(random: Random): Record<string, string> {
  return {
    origin: random.of(ORIGINS),
    ...(random.chance(0.5) && { 'access-control-request-method': random.of(['GET', 'PUT', 'x']) }),
    ...(random.chance(0.3) && { 'access-control-request-headers': random.of(['authorization', 'x']) }),
  };
}

let cases = 0;

function randomCase(random: Random): LiveCase {
  let path: string = random.of(PATHS);
  if (random.chance(0.1)) {
    const text = encodeURI(mutated(random, path)).replaceAll('#', '');
    path = text.replace(/^[^/]|^$/, '/');
  }
  // Upstream's server has no core group.
  path = path.replace(/^\/api(?!s)/, '/ap');
  if (random.chance(0.25)) path += `${path.includes('?') ? '&' : '?'}timeout=${random.of(TIMEOUTS)}`;
  const headers = {
    ...authentication(random),
    ...(random.chance(0.25) && cors(random)),
    ...(random.chance(0.2) && {
      accept: random.of([
        'application/json',
        'text/html',
        'application/yaml',
        'application/vnd.kubernetes.protobuf',
        '*/*',
        'text/plain',
      ]),
    }),
    ...(random.chance(0.1) && { 'audit-id': random.of(['mine', '', 'Ã©', 'x'.repeat(100)]) }),
    ...(random.chance(0.05) && { 'x-remote-user': 'eve', 'x-remote-group': 'system:masters' }),
    ...(random.chance(0.05) && { 'accept-encoding': 'gzip' }),
  };
  return { request: { method: random.of(METHODS), path, headers } };
}

/** Checks that only our server has. */
const OTHER_CHECKS = /^\[\+\](?!ping|log|etcd |shutdown).*\n/gm;

function comparable({ status, headers, body, isCut }: LiveResponse, path: string, objects: LiveObjects) {
  const { ':status': _, date: _date, 'content-length': _length, ...rest } = headers;
  const shown: Record<string, unknown> = { ...rest };
  if (shown['audit-id'] !== undefined) {
    shown['audit-id'] = /^[0-9a-f-]{36}$/.test(String(shown['audit-id'])) ? 'random' : shown['audit-id'];
  }
  if (shown['etag'] !== undefined) shown['etag'] = 'ETAG';
  const type = String(headers['content-type']);
  const text = body.toString().replaceAll(OTHER_CHECKS, '');
  if (status === 404 && body.length === 0) return { status };
  if (type.includes('protobuf')) return { status, headers: sorted(shown), isCut };
  if (/^\/version/.test(path) && status === 200) {
    return { status, headers: sorted(shown), keys: Object.keys(JSON.parse(text || '{}')) };
  }
  // Upstream's program has an index of paths in the place of the text.
  if (/^404 page not found|^\{\n? *"paths": ?\[/.test(text)) return { status };
  const lines = text.trimEnd().split('\n');
  const parsed = /^[{[]/.test(text)
    ? lines.map((line) => comparableValue(parsedLine(line), objects))
    : comparableValue(text, objects);
  return { status, headers: sorted(shown), isCut, body: parsed };
}

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

function sorted(headers: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => typeof name === 'string')
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** The aggregator, which upstream's program lacks, serves the list of groups for any method. */
function isListOfGroups({ method, path }: LiveRequest): boolean {
  return method !== 'GET' && /^\/apis\/?(?:\?|$)/.test(path);
}

async function answer(server: LiveServer, objects: LiveObjects, { request }: LiveCase) {
  try {
    return comparable(await server.send(request), request.path, objects);
  } catch (error) {
    // A request that breaks the protocol.
    return { error: String(error) };
  }
}

const flags = [
  '--cors-allowed-origins=//example\\.com(:|$),^https://a\\.b$',
  '--strict-transport-security-directives=max-age=31536000,includeSubDomains,preload',
];
const users = Array.from({ length: MAX_USERS }, (_, at) => `user${at},user${at},u-${at},"dev,ops"`);
const tokens = ['admin,admin,u-admin,system:masters', 'alice,alice,u-alice,"dev,ops"', 'bob,bob,', ...users];

describeLive('filters', { decide: randomDecision, flags, tokens }, (servers) => {
  it('answer as those of upstream’s server', async () => {
    const { theirs, ours } = servers();
    const theirObjects = await makeLiveObjects(theirs, false);
    const ourObjects = await makeLiveObjects(ours, true);
    await compareCases<LiveCase, unknown>(
      { ask: (_, one) => answer(theirs, theirObjects, one as LiveCase) as never },
      {
        area: 'filters',
        randomCase,
        atOnce: 20,
        mostAsked: 3,
        ours: (one) => answer(ours, ourObjects, one),
        difference: (their, our, { request }) =>
          JSON.stringify(their) === JSON.stringify(our) || isListOfGroups(request)
            ? undefined
            : { requests: [request], theirs: their, ours: our },
      },
    );
  });
});
