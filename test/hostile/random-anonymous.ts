import type { Random } from '../watch/random.ts';
import { type HostileRequest, KIB, MIB } from './hostile-case.ts';

const PATHS = [
  ...['/', '/version', '/healthz', '/livez', '/livez/ping', '/readyz', '/api', '/apis', '/metrics', '/logs/', '/x'],
  ...['/openapi/v2', '/openapi/v3', '/openid/v1/jwks', '/.well-known/openid-configuration', '/debug/pprof/profile'],
  ...['/api/v1/pods', '/api/v1/namespaces/n/pods/p/exec', '/api/v1/nodes/n/proxy/', '/apis/a.example/v1/b'],
  ...['selfsubjectaccessreviews', 'selfsubjectrulesreviews'].map((plural) => `/apis/authorization.k8s.io/v1/${plural}`),
  '/apis/authentication.k8s.io/v1/selfsubjectreviews',
] as unknown as [string, ...string[]];
const METHODS = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const PARAMETERS = [
  ...['labelSelector', 'fieldSelector', 'shardSelector', 'timeout', 'timeoutSeconds', 'resourceVersion', 'watch'],
  ...['exclude', 'verbose', 'limit', 'continue', 'pretty', 'fieldManager', 'dryRun', 'command', 'sendInitialEvents'],
] as unknown as [string, ...string[]];
const HEADERS = [
  ...['accept', 'accept-encoding', 'authorization', 'baggage', 'content-encoding', 'content-type', 'cookie', 'expect'],
  ...['if-none-match', 'impersonate-group', 'impersonate-uid', 'impersonate-user', 'origin', 'range', 'traceparent'],
  ...[
    'tracestate',
    'user-agent',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-real-ip',
    'x-remote-group',
    'x-remote-user',
  ],
  ...['audit-id', 'kubectl-command', 'sec-websocket-protocol', 'access-control-request-headers', 'via'],
] as unknown as [string, ...string[]];
/** Beginnings that lead a parser on. */
const STARTS = [
  ...['', '', '', 'Bearer ', 'Bearer a.', 'Basic ', 'application/json;', 'application/json;as=Table;', 'text/*;q=0.'],
  ...['a in (', 'a notin (', '!', 'metadata.name=', '00-', '"', "shardRange(object.metadata.uid,'", 'bytes=', 'W/"'],
] as unknown as [string, ...string[]];
const LETTERS = 'aA0 ,;=:/.-_~!()[]{}"\'\\|&%+*?#@\té\u{1f600}';
const TYPES = ['json', 'yaml', 'cbor', 'vnd.kubernetes.protobuf', 'apply-patch+yaml', 'json-patch+json'] as const;

/** A few letters, many times. */
function repeated(random: Random, bytes: number): string {
  const letters = [...LETTERS] as [string, ...string[]];
  const part = Array.from({ length: 1 + random.below(6) }, () => random.of(letters)).join('');
  return random.of(STARTS) + part.repeat(1 + Math.floor(bytes / Buffer.byteLength(part)));
}

/** A value that a header can have. */
function headerValue(random: Random, bytes: number): string {
  return Buffer.from(repeated(random, bytes)).toString('latin1').trim();
}

/** A body that a parser reads far into. */
function body(random: Random, bytes: number): Uint8Array {
  const part = random.of([
    () => Buffer.from(repeated(random, 8)),
    () =>
      Buffer.from(random.of(['[', '{"a":', '[[],', '{"a":1},', '"a":1,', '- ', '- {', 'a: &a\n', '\\u0061', '1e9,'])),
    () => Buffer.from(Array.from({ length: 1 + random.below(5) }, () => random.below(256))),
  ])();
  const start = random.of(['', '{"spec":', '[', 'k8s\0', '\xd9\xd9\xf7', '{"kind":"SelfSubjectAccessReview","spec":{']);
  return Buffer.concat([Buffer.from(start, 'latin1'), Buffer.alloc(bytes, part)]);
}

/** A request of a client without credentials, with one or two large parts. */
export function randomAnonymousRequest(random: Random): HostileRequest {
  const large = () => (random.chance(0.5) ? random.below(300 * KIB) : random.below(4 * KIB));
  const headers: Record<string, string> = {};
  let path: string = random.of(PATHS);
  if (random.chance(0.3)) path += encodeURI(repeated(random, large() / 4)).replaceAll(/[?#]/g, '/');
  if (random.chance(0.5)) path += `?${random.of(PARAMETERS)}=${encodeURIComponent(repeated(random, large() / 4))}`;
  for (let count = random.below(3); count > 0; count--) headers[random.of(HEADERS)] = headerValue(random, large());
  const method = random.of(METHODS);
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return { method, path, headers };
  headers['content-type'] ??= `application/${random.of(TYPES)}`;
  return { method, path, headers, body: body(random, random.below(3 * MIB)) };
}
