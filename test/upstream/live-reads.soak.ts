import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import {
  comparableValue,
  type LiveObjects,
  makeLiveObjects,
  withoutMisreadToken,
  withVersions,
} from './live-objects.ts';
import { describeLive, type LiveRequest, type LiveResponse, type LiveServer } from './live-servers.ts';
import { mutated } from './mutated-text.ts';

const ROOTS = ['/apis/live.example.com/v1', '/apis/live.example.com/v1', '/apis/live.example.com/v1beta1'] as const;
const VERSIONS = [
  ...['', '0', '{rv0}', '{rv3}', '{rv9}', '{rv13}', '{rv15}', '1000000', '-1', 'x', '00{rv3}', '1.5'],
  ...['9223372036854775808', '18446744073709551616'],
] as [string, ...string[]];
const BOOLEANS = ['true', 'true', 'false', '1', '0', '', 'x'] as const;
const token = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const CONTINUES = [
  '$continue',
  ...['', 'x', '$continue', '$continue'],
  token({ v: 'meta.k8s.io/v1', rv: 1, start: 'n/a\u0000' }),
  token({ v: 'meta.k8s.io/v1', rv: 0, start: 'n/a\u0000' }),
  token({ v: 'meta.k8s.io/v1', rv: -1, start: 'n/a\u0000' }),
  token({ v: 'meta.k8s.io/v1', rv: 1_000_000, start: 'n/a\u0000' }),
  token({ v: 'meta.k8s.io/v1', rv: 1, start: '' }),
  token({ v: 'meta.k8s.io/v1', rv: -1, start: '../x' }),
  token({ v: 'meta.k8s.io/v2', rv: 1, start: 'n/a' }),
  token({ v: 'meta.k8s.io/v1', rv: '1', start: 'n/a' }),
  token('{}'),
  token('{'),
] as const;

/** Values of each parameter. Those of names that come twice are likelier. */
const PARAMETERS = {
  watch: BOOLEANS,
  limit: ['0', '1', '2', '3', '100', '-1', 'x', ''],
  continue: CONTINUES,
  resourceVersion: VERSIONS,
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'NotOlderThan', 'x', ''],
  timeoutSeconds: ['1', '0', '-1', 'x', '', '1.5'],
  allowWatchBookmarks: BOOLEANS,
  sendInitialEvents: BOOLEANS,
  labelSelector: ['odd=1', 'odd!=1', 'odd', '!odd', 'odd in (0,2)', 'name=c', 'odd>0', 'odd=1=', 'a in (', '=', ','],
  fieldSelector: [
    ...['metadata.name=a', 'metadata.name!=a', 'metadata.namespace=n', 'spec.color=red', 'spec.color!=red'],
    ...['spec.size=1', 'metadata.name=', 'metadata.name', 'spec.color=red,metadata.name=a', 'metadata.name==d'],
  ],
  pretty: BOOLEANS,
  includeObject: ['None', 'Metadata', 'Object', 'x'],
  shardSelector: ['x'],
  unknown: ['x'],
} satisfies Record<string, readonly string[]>;
const NAMES = Object.keys(PARAMETERS) as [keyof typeof PARAMETERS];
const LIKELY = [
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'allowWatchBookmarks',
] as const;

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const ACCEPTS = [
  ...['application/json', '*/*', '', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'application/cbor'],
  ...[TABLE, 'application/json;as=Table;v=v1;g=meta.k8s.io', 'application/json;as=Table;v=v1beta1;g=meta.k8s.io'],
  ...[`${TABLE},application/json`, 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'],
  ...[
    'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    'application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1',
  ],
  ...['application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'],
  ...['application/json;stream=watch', 'application/json;as=Table', 'application/json;as=Other;g=x;v=y, */*;q=0.1'],
  ...[
    'text/html',
    'text/*, */*',
    'application/*;q=0.5',
    'application/json;q=0',
    'application/json;q=0.1,application/yaml;q=0.2',
  ],
  ...[
    'application/json;pretty=1',
    'application/json;profile=nopeer',
    'application/json;charset=utf-8',
    'application/yaml;pretty=0',
  ],
  ...[
    'application/json;as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2',
    'application/yaml;as=Table;g=meta.k8s.io;v=v1',
  ],
] as [string, ...string[]];

interface LiveCase {
  readonly requests: readonly LiveRequest[];
}

function randomQuery(random: Random, watch: boolean): string {
  const parameters = Array.from({ length: random.below(5) }, () => {
    const name = random.chance(0.6) ? random.of(LIKELY) : random.of(NAMES);
    const value = random.of(PARAMETERS[name] as readonly [string, ...string[]]);
    const changed = random.chance(0.05) && name !== 'resourceVersion' ? mutated(random, value) : value;
    return `${name}=${encodeURIComponent(changed).replaceAll('%24', '$').replaceAll('%7B', '{').replaceAll('%7D', '}')}`;
  });
  if (watch) parameters.push('watch=true', ...(random.chance(0.3) ? ['timeoutSeconds=1'] : []));
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`;
}

function randomRequest(random: Random): LiveRequest {
  const root = random.of(ROOTS);
  const scope = random.of(['/namespaces/n', '/namespaces/n', '/namespaces/m', '', '/namespaces/none']);
  const one = random.chance(0.2)
    ? `/${random.of(['a', 'd', 'e', 'x'])}${random.of(['', '', '/status', '/scale'])}`
    : '';
  const old = random.chance(0.05) ? root.replace(/\/v1(?:beta1)?$/, '$&/watch') : root;
  const watch = random.chance(0.35);
  const accept = random.chance(0.4) ? random.of(ACCEPTS) : 'application/json';
  return {
    method: random.chance(0.05) ? random.of(['HEAD', 'OPTIONS', 'POST', 'PUT', 'TRACE', 'get']) : 'GET',
    path: `${old}${scope}/${random.chance(0.02) ? 'gadgets' : 'widgets'}${one}${randomQuery(random, watch)}`,
    headers: {
      authorization: 'Bearer admin',
      ...(accept !== '' && { accept }),
      ...(random.chance(0.1) && { 'accept-encoding': random.of(['gzip', 'deflate', 'gzip;q=0', '*', 'identity']) }),
    },
  };
}

function randomCase(random: Random): LiveCase {
  return { requests: Array.from({ length: 2 + random.below(3) }, () => randomRequest(random)) };
}

/** Headers that say something about a request. */
const HEADERS = [
  ...['content-type', 'cache-control', 'vary', 'warning', 'x-content-type-options', 'allow', 'location', 'retry-after'],
  ...['content-encoding', 'access-control-allow-origin', 'www-authenticate', 'etag', 'strict-transport-security'],
];

function comparable({ status, headers, body, isCut }: LiveResponse, objects: LiveObjects) {
  const type = String(headers['content-type']);
  const shown = Object.fromEntries(HEADERS.filter((name) => name in headers).map((name) => [name, headers[name]]));
  const text = body.toString();
  const value = () =>
    type.includes('stream=watch') || /^\{"type":/.test(text)
      ? wholeLines(text).map((line) => comparableValue(JSON.parse(line), objects))
      : comparableValue(JSON.parse(text), objects);
  const shownBody = /^[{[]/.test(text)
    ? value()
    : type.includes('protobuf') || type.includes('cbor')
      ? undefined
      : comparableValue(text, objects);
  return {
    status,
    headers: shown,
    hasAudit: 'audit-id' in headers,
    isCut,
    isPretty: text.startsWith('{\n'),
    body: shownBody,
  };
}

/** The client may have left within a line. */
function wholeLines(text: string): readonly string[] {
  return text.split('\n').slice(0, -1);
}

async function answers(server: LiveServer, objects: LiveObjects, { requests }: LiveCase) {
  const found = [];
  let next = 'x';
  for (const request of requests) {
    const path = withVersions(request.path, objects).replaceAll('$continue', encodeURIComponent(next));
    const sent = await server.send({ ...request, path });
    const response = { ...sent, body: Buffer.from(withoutMisreadToken(path, sent.body.toString('latin1')), 'latin1') };
    next = /"continue": ?"([^"]+)"/.exec(response.body.toString())?.[1] ?? next;
    found.push(comparable(response, objects));
  }
  return found;
}

describeLive('reads', {}, (servers) => {
  it('get the responses of upstream’s server', async () => {
    const { theirs, ours } = servers();
    const theirObjects = await makeLiveObjects(theirs, false);
    const ourObjects = await makeLiveObjects(ours, true);
    await compareCases<LiveCase, unknown>(
      { ask: (_, one) => answers(theirs, theirObjects, one as LiveCase) as never },
      {
        area: 'reads',
        randomCase,
        atOnce: 50,
        mostAsked: 3,
        ours: (one) => answers(ours, ourObjects, one),
        difference: (their, our, one) => firstDifference(their as unknown[], our as unknown[], one),
      },
    );
  });
});

function firstDifference(theirs: readonly unknown[], ours: readonly unknown[], { requests }: LiveCase): unknown {
  // Our watches begin before the cache of upstream was made.
  const isOld = (one: unknown) => JSON.stringify(one).includes('too old resource version: RANGE');
  const at = theirs.findIndex((one, index) => !isOld(one) && JSON.stringify(one) !== JSON.stringify(ours[index]));
  if (at === -1) return undefined;
  return {
    requests: requests.slice(0, at + 1).map(({ method, path, headers }) => ({ method, path, headers })),
    theirs: theirs[at],
    ours: ours[at],
  };
}
