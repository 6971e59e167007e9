import type { Random } from '../watch/random.ts';
import { BACKENDS, type BackendKind, type Backends, isRefused } from './backends/aggregated-backends.ts';
import type { LiveRequest } from './live-servers.ts';

/** An APIService with its life. */
export interface AggregationCase {
  readonly group: string;
  readonly version: string;
  readonly kind: BackendKind;
  readonly object: object;
  /** While it exists. */
  readonly requests: readonly LiveRequest[];
}

const VERSIONS = ['v1', 'v2', 'v1beta1', 'v1alpha1'] as const;
const METHODS = ['GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'] as const;
const PATHS = [
  '/namespaces/n/fishes',
  '/namespaces/n/fishes/a',
  '/fishes',
  '/a%20b',
  '/a//b',
  '/../x',
  '/a%2fb',
  '/',
  '',
] as const;
const QUERIES = [
  '',
  '',
  '?b=1&a=2',
  '?a=1;b=2',
  '?status=404',
  '?status=500',
  '?status=204',
  '?status=304',
  '?x=%zz',
  '?a=b+c%20d',
] as const;
const MORE = [
  '?status=302&location=https://x.example.com/',
  '?status=301',
  '?labelSelector=a%3Db&watch=false',
] as const;
const MAX_REQUESTS = 4;
const NUMBER_OF_GROUPS = 40;
let made = 0;

/** Neighbors have different groups. */
export function randomAggregationCase(random: Random, { ports, authority }: Backends): AggregationCase {
  const version = random.of(VERSIONS);
  const kind = random.of(BACKENDS as unknown as readonly [BackendKind, ...BackendKind[]]);
  const group = `g${made++ % NUMBER_OF_GROUPS}.${kind}.example.com`;
  // Upstream keeps the discovery of a server for all its APIServices, also for those that do not trust it. So either
  // all of them get it, or none does.
  const isTrusted = random.chance(0.75) || isRefused(kind);
  const isShared = ['whole', 'beta', 'other'].includes(kind);
  const spec: Record<string, unknown> = {
    group,
    version,
    groupPriorityMinimum: random.chance(0.04) ? random.of([20_001, 0, -1]) : random.of([1, 100, 1_000, 20_000]),
    versionPriority: random.chance(0.04) ? random.of([1_001, 0]) : random.of([1, 10, 15, 1_000]),
    ...(random.chance(0.93) && {
      service: {
        ...(random.chance(0.98) && { namespace: 'fish' }),
        ...(random.chance(0.98) && { name: kind }),
        ...(random.chance(0.95) && { port: random.chance(0.03) ? random.of([0, 65_536, -1]) : ports[kind] }),
      },
    }),
    ...(isTrusted && { caBundle: Buffer.from(isShared || random.chance(0.95) ? authority : 'x').toString('base64') }),
    ...((!isTrusted || random.chance(0.03)) && { insecureSkipTLSVerify: isShared || random.chance(0.9) }),
  };
  for (const name of Object.keys(spec)) if (random.chance(0.01)) delete spec[name];
  const name = random.chance(0.97) ? `${version}.${group}` : random.of(['v1.x', `${group}`, `${version}.${group}.`]);
  const beta = random.chance(0.2);
  const object = {
    apiVersion: `apiregistration.k8s.io/${beta ? 'v1beta1' : 'v1'}`,
    kind: 'APIService',
    metadata: { name, ...(random.chance(0.2) && { labels: { a: 'b' } }) },
    spec,
    ...(random.chance(0.1) && { status: { conditions: [{ type: 'Available', status: 'True' }] } }),
  };
  const requests = Array.from({ length: 1 + random.below(MAX_REQUESTS) }, () => request(random, group, version));
  return { group, version, kind, object, requests };
}

function request(random: Random, group: string, version: string): LiveRequest {
  const method = random.of(METHODS);
  const query = random.chance(0.2) ? random.of(MORE) : random.of(QUERIES);
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method);
  const headers: Record<string, string | string[]> = {
    authorization: random.of(['Bearer admin', 'Bearer alice', 'Bearer bob']),
    ...(random.chance(0.3) && { 'user-agent': random.of(['kubectl/v1', '', 'a b']) }),
    ...(random.chance(0.3) && { accept: random.of(['application/json', 'application/yaml', '*/*']) }),
    ...(random.chance(0.2) && { 'x-remote-user': 'eve', 'x-remote-group': 'system:masters', 'x-remote-extra-a': 'b' }),
    ...(random.chance(0.2) && { 'x-forwarded-for': random.of(['1.2.3.4', '1.2.3.4, 5.6.7.8', '']) }),
    ...(random.chance(0.2) && {
      'x-forwarded-host': 'h.example.com',
      'x-forwarded-proto': 'http',
      'x-forwarded-uri': '/x',
    }),
    ...(random.chance(0.2) && { 'accept-encoding': random.of(['gzip', 'identity', 'br']) }),
    ...(random.chance(0.1) && { 'audit-id': 'mine' }),
    ...(random.chance(0.1) && { origin: 'https://x.example.com', cookie: 'a=b', te: 'trailers' }),
    ...(random.chance(0.1) && { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }),
    ...(hasBody && { 'content-type': 'application/json' }),
  };
  if (headers['authorization'] === 'Bearer admin' && random.chance(0.3)) {
    headers['impersonate-user'] = random.of(['carol', 'system:serviceaccount:n:s']);
    if (random.chance(0.5)) headers['impersonate-group'] = ['dev', 'ops'];
    if (random.chance(0.5)) headers['impersonate-extra-acme.com%2fproject'] = 'p q';
    if (random.chance(0.3)) headers['impersonate-uid'] = 'u1';
  }
  const path = `/apis/${group}/${version}${random.of(PATHS)}${query}`;
  return { method, path, headers, ...(hasBody && { body: '{"a":1}' }) };
}
