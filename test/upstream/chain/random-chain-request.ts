import type { Random } from '../../watch/random.ts';
import type { LiveRequest } from '../live-servers.ts';
import { mutated } from '../mutated-text.ts';

type Texts = readonly [string, ...string[]];

const GROUPS: Texts = [
  ...['chain.example.com', 'chain.example.com', 'chain.example.com', 'nameless.example.com', 'unserved.example.com'],
  ...['ending.example.com', 'unknown.example.com', 'apiregistration.k8s.io', 'apiextensions.k8s.io', 'v1', 'x', ''],
  ...['whole', 'closed', 'failing', 'none', 'nobody', 'missing', 'local'].map((kind) => `g1.${kind}.example.com`),
] as unknown as Texts;
const VERSIONS: Texts = ['v1', 'v1', 'v1', 'v1', 'v2', 'v1beta1', 'v1alpha1', 'v9', 'V1', '__internal', ''];
const RESOURCES: Texts = [
  ...['widgets', 'widgets', 'gadgets', 'others', 'fishs', 'ponds', 'fishes', 'configmaps', 'namespaces', 'unknowns'],
  ...['apiservices', 'customresourcedefinitions', 'Widgets', 'widget', 'watch', 'proxy', ''],
] as unknown as Texts;
const CORE_RESOURCES: Texts = ['configmaps', 'configmaps', 'unknowns', 'Configmaps', 'widgets', 'watch', 'proxy'];
const NAMES: Texts = [
  'a',
  'a',
  'a',
  'b',
  'widgets.chain.example.com',
  'v1.',
  'v1.g1.closed.example.com',
  'A',
  'a.b',
  '-',
  '',
];
const SUBRESOURCES: Texts = [
  'status',
  'status',
  'scale',
  'unknown',
  'log',
  'proxy',
  'finalize',
  'status/x',
  'Status',
  '',
];
const OTHERS: Texts = [
  ...[
    '/',
    '',
    '/api',
    '/api/',
    '/apis',
    '/apis/',
    '/api/v1',
    '/api/v1/',
    '/api/v2',
    '/api/v1/x',
    '/apis/v1',
    '/version',
  ],
  ...[
    '/version/',
    '/version/x',
    '/openapi',
    '/openapi/v2',
    '/openapi/v3',
    '/openapi/v3/',
    '/openapi/v3/apis/x/v1',
    '/swagger.json',
  ],
  ...[
    '/healthz',
    '/healthz/',
    '/healthz/none',
    '/livez',
    '/readyz/none',
    '/metrics',
    '/metrics/',
    '/metrics/x',
    '/debug',
  ],
  ...['/debug/pprof', '/debug/pprof/', '/logs', '/ui', '/favicon.ico', '/robots.txt', '/.well-known', '/x', '/x/y'],
  ...[
    '/API',
    '/Apis',
    '/apis/x',
    '/apis/x/',
    '/apis/x/v1/namespaces/a/b/c/d',
    '/apis/x/v1/namespaces/a/b/c/d/e/f',
    '/ui/x',
  ],
] as unknown as Texts;
const ACCEPTS: Texts = [
  ...['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', '*/*', 'application/*', 'text/*'],
  ...[
    'text/html',
    'application/xml',
    'x',
    '',
    'application/json;q=0',
    'text/html,application/yaml;q=0.5',
    '*',
    '/',
    ';',
  ],
  ...[
    'application/json;as=Table;v=v1;g=meta.k8s.io',
    'application/json;as=Table;v=v9;g=meta.k8s.io',
    'application/cbor',
  ],
  ...[
    'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
    'application/json;stream=watch',
    'application/json;as=x',
  ],
  ...[
    'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
    'application/json, */*;q=0',
    'image/png, application/json',
  ],
  ...[
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    'APPLICATION/JSON',
    'application/json;charset=utf-8',
  ],
] as unknown as Texts;
const TYPES: Texts = [
  ...[
    'application/json',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    'text/plain',
    'application/xml',
    'x',
    '',
  ],
  ...[
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/strategic-merge-patch+json',
    '/',
    ';',
  ],
  ...[
    'application/apply-patch+yaml',
    'application/apply-patch',
    'application/json; charset=utf-8',
    'application/cbor',
    '*/*',
  ],
  ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'APPLICATION/JSON', 'application/json;'],
] as unknown as Texts;
const METHODS: Texts = [
  ...['GET', 'GET', 'GET', 'GET', 'GET', 'HEAD', 'HEAD', 'POST', 'POST', 'PUT', 'PATCH', 'PATCH', 'DELETE', 'OPTIONS'],
  ...['OPTIONS', 'TRACE', 'FOO', 'PROPFIND', 'LINK'],
] as unknown as Texts;
const BODIES: Texts = [
  '',
  '',
  '{',
  '{}',
  '[]',
  '[1]',
  'null',
  'x',
  '{"kind":"X"}',
  '{"apiVersion":"x/v1","kind":"X"}',
  'a: b\n',
  'k8s\u0000',
];
const QUERIES: Texts = [
  ...[
    'watch=true&timeoutSeconds=1',
    'watch=1&timeoutSeconds=x',
    'limit=x',
    'limit=-1',
    'resourceVersion=x',
    'dryRun=x',
    'dryRun=All',
  ],
  ...[
    'fieldManager=',
    'force=true',
    'fieldValidation=x',
    'labelSelector=!',
    'fieldSelector=x=1',
    'pretty=true',
    'x=%zz',
    'timeout=x',
  ],
  ...[
    'resourceVersionMatch=Exact',
    'continue=x',
    'sendInitialEvents=true',
    'propagationPolicy=x',
    'gracePeriodSeconds=x',
    'a;b',
    '?',
  ],
] as unknown as Texts;

function resourcePath(random: Random): string {
  const isCore = random.chance(0.15);
  const root = isCore ? '/api/v1' : `/apis/${random.of(GROUPS)}/${random.of(VERSIONS)}`;
  const parts = [root];
  if (random.chance(0.08)) parts.push('watch');
  // The namespaces and all ConfigMaps of the servers differ.
  if (isCore || random.chance(0.6)) parts.push('namespaces', isCore ? 'n' : random.of(['n', 'n', 'n', 'none', 'N']));
  if (isCore || random.chance(0.9)) parts.push(random.of(isCore ? CORE_RESOURCES : RESOURCES));
  if (random.chance(0.6)) parts.push(random.of(NAMES));
  // Namespaces have a status in our server alone.
  if (!isCore && random.chance(0.3)) parts.push(random.of(SUBRESOURCES));
  while (random.chance(0.08)) parts.push(random.of(['x', 'a', '..', '.', '']));
  while (!isCore && random.chance(0.1)) parts.pop();
  return parts.join('/');
}

/** Slashes too many, in escapes, dots, and other odd spellings. */
function oddPath(random: Random, path: string): string {
  const kind = random.next();
  if (kind < 0.3) return `${path}/`;
  if (kind < 0.4) return `/${path}`;
  if (kind < 0.9) {
    const at = random.below(path.length + 1);
    const odd = random.of([
      '/',
      '%2F',
      '%2f',
      '%252F',
      '/.',
      '/..',
      '/./',
      '/../',
      '%00',
      '%20',
      '%2e%2e',
      '%',
      '%zz',
      '+',
      '\\',
      ';',
      ':',
      '%3F',
      '*',
      '~',
      '%c3%a9',
    ]);
    return path.slice(0, at) + odd + path.slice(at + random.below(2));
  }
  return encodeURI(mutated(random, path)).replaceAll(/[#?]/g, '');
}

/** A request for a path of one of the servers in the chain, or of none. */
export function randomChainRequest(random: Random): LiveRequest {
  const known = random.chance(0.8) ? resourcePath(random) : random.of(OTHERS);
  const path = random.chance(0.25) ? oddPath(random, known) : known;
  const query = random.chance(0.15) ? `?${random.of(QUERIES)}` : '';
  const method = random.of(METHODS);
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method) || random.chance(0.03);
  const headers: Record<string, string> = {
    authorization: random.of([
      'Bearer admin',
      'Bearer admin',
      'Bearer admin',
      'Bearer admin',
      'Bearer alice',
      'Bearer x',
    ]),
    ...(random.chance(0.5) && { accept: random.of(ACCEPTS) }),
    ...(hasBody && random.chance(0.9) && { 'content-type': random.of(TYPES) }),
    ...(random.chance(0.05) && { 'accept-encoding': 'gzip' }),
    ...(random.chance(0.05) && { 'audit-id': 'mine' }),
  };
  return { method, path: `/${path.replace(/^\//, '')}${query}`, headers, ...(hasBody && { body: random.of(BODIES) }) };
}
