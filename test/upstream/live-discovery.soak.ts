import { it } from 'vitest';
import { customResourceDefinition, DEFINITIONS } from '../harness/custom-resource-definition.ts';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { describeLive, type LiveRequest, type LiveServer } from './live-servers.ts';
import { mutated } from './mutated-text.ts';

const GROUPS = ['live.example.com', 'more.example.com'] as const;

/** Members of a definition's spec that differ from the usual ones. */
interface Differences {
  readonly versions: readonly object[];
  readonly names?: object;
  readonly scope?: string;
}

/** Definitions whose versions, names and subresources differ. */
function definitions(): readonly (object & { readonly metadata: { readonly name: string } })[] {
  const version = (name: string, more: object = {}) => ({
    name,
    served: true,
    storage: false,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'string' } } } },
    ...more,
  });
  const made = (group: string, kind: string, { versions, names, ...more }: Differences) => {
    const base = customResourceDefinition(group, kind);
    return { ...base, spec: { ...base.spec, ...more, names: { ...base.spec.names, ...names }, versions } };
  };
  const scale = { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } };
  return [
    made('live.example.com', 'Widget', {
      versions: [
        version('v1', { storage: true, subresources: { status: {}, ...scale } }),
        version('v1beta1', { deprecated: true }),
        version('v1alpha1', { served: false }),
      ],
    }),
    made('live.example.com', 'Gadget', {
      versions: [version('v10', { storage: true }), version('v2'), version('v2beta1')],
      scope: 'Cluster',
      names: {
        shortNames: ['gd', 'gdt'],
        categories: ['all', 'mine'],
        singular: 'gadgety',
        listKind: 'GadgetCollection',
      },
    }),
    made('more.example.com', 'Item', {
      versions: [version('foo1', { storage: true }), version('v1alpha2', { subresources: { status: {} } })],
    }),
  ];
}

const AGGREGATED = ['v2', 'v2beta1', 'v1'].map(
  (v) => `application/json;g=apidiscovery.k8s.io;v=${v};as=APIGroupDiscoveryList`,
);
const ACCEPTS = [
  'application/json',
  ...[
    '*/*',
    '',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    'text/html',
    'application/cbor',
    ...AGGREGATED,
  ],
  ...[
    `${AGGREGATED[0]},${AGGREGATED[1]},application/json`,
    `${AGGREGATED[2]},application/json`,
    `application/json,${AGGREGATED[0]}`,
  ],
  ...[`${AGGREGATED[0]};profile=nopeer`, `${AGGREGATED[0]};q=0.1,application/json`, `${AGGREGATED[0]};charset=utf-8`],
  ...[AGGREGATED[0]?.replace('json', 'yaml') ?? '', AGGREGATED[0]?.replace('json', 'vnd.kubernetes.protobuf') ?? ''],
  ...[
    'application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io',
    'application/json;as=APIGroupDiscoveryList',
    'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  ],
  ...[
    'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
    'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
    'application/json;as=APIGroupList;v=v1;g=x, application/json',
  ],
] as const;
const PATHS = [
  ...['/apis', '/apis', '/apis', '/openapi/v3', '/openapi/v2'],
  ...GROUPS.flatMap((group) => [`/apis/${group}`, `/apis/${group}/`]),
  ...['v1', 'v1beta1', 'v10', 'v2', 'v2beta1'].flatMap((one) => [
    `/apis/live.example.com/${one}`,
    `/openapi/v3/apis/live.example.com/${one}`,
  ]),
  ...['foo1', 'v1alpha2'].flatMap((one) => [
    `/apis/more.example.com/${one}`,
    `/openapi/v3/apis/more.example.com/${one}`,
  ]),
  ...['/apis/live.example.com/v1/'],
] as readonly string[];

interface DiscoveryCase {
  readonly request: LiveRequest;
  /** A second request tells the server the ETag of the first. */
  readonly match: string | undefined;
  readonly hash: string | undefined;
}

function randomCase(random: Random): DiscoveryCase {
  const accept = random.of(ACCEPTS);
  let path = random.of(PATHS as readonly [string, ...string[]]);
  if (random.chance(0.05) && path.startsWith('/apis/')) {
    path = `/apis/m${encodeURI(mutated(random, path.slice(7))).replaceAll(/[#?]/g, '')}`;
  }
  return {
    request: {
      method: random.chance(0.1) ? random.of(['HEAD', 'POST', 'OPTIONS']) : 'GET',
      path,
      headers: {
        authorization: 'Bearer admin',
        ...(accept !== '' && {
          accept:
            random.chance(0.05) && path.startsWith('/apis')
              ? mutated(random, accept).replaceAll(/[^\x21-\x7e]/g, '')
              : accept,
        }),
        ...(random.chance(0.2) && {
          'accept-encoding': random.of(['gzip', 'deflate, gzip;q=0.5', 'identity', 'gzip;q=0', 'GZIP']),
        }),
      },
    },
    match: random.chance(0.4) ? random.of(['$etag', 'W/$etag', '*', '"x", $etag', '"x"', '']) : undefined,
    hash: random.chance(0.4) ? random.of(['$hash', '$hash', 'x', '']) : undefined,
  };
}

async function answers(server: LiveServer, { request, match, hash }: DiscoveryCase) {
  const hashes = hash === undefined ? {} : await hashesOf(server);
  const used = hash === undefined ? '' : `?hash=${hash.replace('$hash', hashes[request.path] ?? '')}`;
  const sent = { ...request, path: request.path + used };
  const first = await server.send(sent);
  const found = [comparable(first, request.path)];
  if (match === undefined) return found;
  const headers = { ...request.headers, 'if-none-match': match.replace('$etag', String(first.headers['etag'] ?? '')) };
  return [...found, comparable(await server.send({ ...sent, headers }), request.path)];
}

async function hashesOf(server: LiveServer): Promise<Record<string, string>> {
  const index = await server.make('GET', '/openapi/v3');
  const urls = Object.values(index.paths as Record<string, { readonly serverRelativeURL: string }>);
  return Object.fromEntries(urls.map(({ serverRelativeURL }) => serverRelativeURL.split('?hash=') as [string, string]));
}

type Response = Awaited<ReturnType<LiveServer['send']>>;

function comparable({ status, headers, body }: Response, path: string) {
  // Upstream's program has an index of paths in the place of the text.
  if (/^404 page not found|^\{\n? *"paths": ?\[/.test(body.toString())) return { status };
  const {
    ':status': _,
    date,
    expires,
    'audit-id': _id,
    'content-length': _length,
    'last-modified': _modified,
    etag,
    'accept-ranges': _ranges,
    ...rest
  } = headers;
  const names = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1));
  const shared = Object.fromEntries(
    names.map(([name, value]) => [name, String(value).replace(/hash=\w+/, 'hash=HASH')]),
  );
  return {
    status,
    headers: {
      ...shared,
      ...(expires && { expires: isInAYear(date, expires) }),
      etag: etag && /^(?:W\/)?"[0-9A-F]{128}"$/.test(etag) ? 'ETAG' : etag,
    },
    body: bodyOf(body, path, String(headers['content-type'])),
  };
}

/** Both headers have whole seconds, and the clock may go on between them. */
function isInAYear(date: unknown, expires: unknown): boolean {
  const year = new Date(String(date));
  year.setUTCFullYear(year.getUTCFullYear() + 1);
  return Math.abs(Date.parse(String(expires)) - year.getTime()) <= 1_000;
}

function bodyOf(body: Buffer, path: string, type: string): unknown {
  const text = body.toString();
  if (body[0] === 0x1f || type.includes('protobuf')) return body.length > 0;
  if (!text.startsWith('{')) return path.startsWith('/openapi') || status(text) ? text : text.length > 0;
  const value = JSON.parse(text);
  // Other tests compare whole documents (test/openapi).
  if (value.openapi !== undefined || value.swagger !== undefined) return value.openapi ?? value.swagger;
  const isOurs = (name: string | undefined) => GROUPS.some((group) => name === group);
  const { items, groups, paths } = value;
  if (items !== undefined) {
    return { ...value, items: items.filter((one: { metadata: { name: string } }) => isOurs(one.metadata?.name)) };
  }
  // The list of a server in front of others has an apiVersion.
  if (groups !== undefined) return { kind: value.kind, groups: [] };
  if (path.replace(/\/$/, '') === '/openapi/v3' && paths !== undefined) {
    return Object.keys(paths).filter((name) => GROUPS.some((group) => name.includes(group)));
  }
  return value;
}

function status(text: string): boolean {
  return text.includes('kind: Status');
}

async function define(server: LiveServer): Promise<void> {
  for (const one of definitions()) await server.make('POST', DEFINITIONS, one);
  const paths = ['live.example.com/v10', 'live.example.com/v1beta1', 'more.example.com/v1alpha2'];
  const ready = async () => {
    const { paths: known } = await server.make('GET', '/openapi/v3');
    return paths.every((path) => known[`apis/${path}`] !== undefined);
  };
  while (!(await ready())) await new Promise((resolve) => setTimeout(resolve, 100));
  // Upstream's documents follow definitions after a moment.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
}

describeLive('discovery', {}, (servers) => {
  it('is that of upstream’s server', async () => {
    const { theirs, ours } = servers();
    await define(theirs);
    await define(ours);
    await compareCases<DiscoveryCase, unknown>(
      { ask: (_, one) => answers(theirs, one as DiscoveryCase) as never },
      {
        area: 'discovery',
        randomCase,
        atOnce: 20,
        mostAsked: 2,
        ours: (one) => answers(ours, one),
        difference: (their, our, { request, ...rest }) =>
          JSON.stringify(their) === JSON.stringify(our)
            ? undefined
            : { requests: [{ ...request, body: JSON.stringify(rest) }], theirs: their, ours: our },
      },
    );
  });
});
