import { it } from 'vitest';
import { customResourceDefinition, DEFINITIONS } from '../harness/custom-resource-definition.ts';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { describeLive, type LiveRequest, type LiveResponse, type LiveServer } from './live-servers.ts';

const GROUP = 'scales.example.com';
const NAMESPACE = `/apis/${GROUP}/v1/namespaces/n`;
const SCHEMA = {
  'x-kubernetes-preserve-unknown-fields': true,
  properties: {
    bounded: { type: 'object', properties: { replicas: { type: 'integer', minimum: 0, maximum: 50 } } },
  },
};

/** The kinds, with the paths of their replicas. */
const KINDS = {
  Free: { spec: ['spec', 'replicas'], status: ['status', 'replicas'], selector: '.status.selector' },
  Deep: { spec: ['spec', 'a', 'b', 'count'], status: ['status', 'x', 'n'] },
  Bound: { spec: ['spec', 'bounded', 'replicas'], status: ['status', 'replicas'], selector: '.status.selector' },
} as const;
const NAMES = Object.keys(KINDS) as [keyof typeof KINDS];

const REPLICAS = [0, 1, 2, 3, 50, 51, -1, 2147483647, 2147483648, 1.5, '2', null, true, {}, []] as const;
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const APPLY = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';

/** `$name`, `$version` and `$uid` stand for those of the object. */
interface Operation extends Omit<LiveRequest, 'path'> {
  readonly query: string;
}

interface ScaleCase {
  readonly kind: keyof typeof KINDS;
  readonly replicas: unknown;
  readonly status: unknown;
  readonly selector: unknown;
  readonly operations: readonly Operation[];
}

function randomScale(random: Random): object {
  const likely = <T>(value: T, ...others: [T, ...T[]]) => (random.chance(0.85) ? value : random.of(others));
  const member = (probability: number, value: object) => (random.chance(probability) ? value : {});
  return {
    // Upstream tracks no managers for an update without a kind.
    apiVersion: likely('autoscaling/v1', `${GROUP}/v1`, 'autoscaling/v2', 'v1'),
    kind: likely('Scale', 'Free', 'scale'),
    metadata: {
      ...member(0.9, { name: likely('$name', 'other', '') }),
      ...member(0.6, { namespace: likely('n', 'm') }),
      ...member(0.3, { resourceVersion: random.of(['$version', '$version', '1', 'x', '0', '']) }),
      ...member(0.15, { uid: random.of(['$uid', 'other']) }),
      ...member(0.1, { labels: { a: 'b' } }),
    },
    ...member(0.9, { spec: member(0.9, { replicas: random.chance(0.6) ? random.below(9) : random.of(REPLICAS) }) }),
    ...member(0.1, { status: { replicas: 4, selector: 'q' } }),
    ...member(0.1, { extra: 1 }),
  };
}

function randomPatch(random: Random): { readonly type: string; readonly body: unknown } {
  const kind = random.next();
  if (kind < 0.35) return { type: APPLY, body: randomScale(random) };
  const value = random.of(REPLICAS);
  if (kind < 0.7) {
    const type = random.of([MERGE_PATCH, MERGE_PATCH, MERGE_PATCH, 'application/strategic-merge-patch+json']);
    const body = random.of<unknown>([
      ...([{ spec: { replicas: value } }, { spec: null }, { metadata: { name: 'other' } }, {}, 5, []] as const),
      { metadata: { resourceVersion: random.of(['$version', '1']) }, spec: { replicas: 4 } },
      ...[{ metadata: { labels: { x: 'y' } } }, { kind: 'X' }, { apiVersion: 'autoscaling/v2' }],
    ]);
    return { type, body };
  }
  const path = '/spec/replicas';
  const body = random.of<unknown>([
    [{ op: 'replace', path, value }],
    ...[[{ op: 'add', path, value }], [{ op: 'remove', path }], [{ op: 'copy', from: '/status/replicas', path }]],
    ...[[{ op: 'test', path, value: 2 }], [{ op: 'x' }], {}],
  ]);
  return { type: JSON_PATCH, body };
}

function randomOperation(random: Random): Operation {
  const query = [
    ...(random.chance(0.2) ? [`dryRun=${random.of(['All', 'x'])}`] : []),
    ...(random.chance(0.3) ? [`fieldValidation=${random.of(['Strict', 'Ignore', 'Warn', 'x'])}`] : []),
    ...(random.chance(0.5) ? [`fieldManager=m${random.below(2)}`] : []),
    ...(random.chance(0.2) ? ['force=true'] : []),
  ].join('&');
  const accept = random.chance(0.8) ? 'application/json' : random.of([TABLE, 'text/html', '*/*']);
  const headers = { authorization: 'Bearer admin', accept, 'user-agent': 't/1' };
  const kind = random.next();
  if (kind < 0.15) return { method: 'GET', query, headers };
  if (kind < 0.5) return written('PUT', 'application/json', randomScale(random));
  const { type, body } = randomPatch(random);
  return kind < 0.95 ? written('PATCH', type, body) : written(random.of(['POST', 'DELETE']), 'application/json', body);

  function written(method: string, contentType: string, value: unknown): Operation {
    return { method, query, headers: { ...headers, 'content-type': contentType }, body: JSON.stringify(value) };
  }
}

function randomCase(random: Random): ScaleCase {
  const value = () => (random.chance(0.8) ? random.below(9) : random.chance(0.5) ? random.of(REPLICAS) : undefined);
  return {
    kind: random.of(NAMES),
    replicas: value(),
    status: value(),
    selector: random.of([undefined, 'a=b', '', 5, 'a in (']),
    operations: Array.from({ length: 2 + random.below(4) }, () => randomOperation(random)),
  };
}

/** An object with a value at a path; without it, if the value is undefined. */
function placed([first = '', ...rest]: readonly string[], value: unknown): object {
  if (value === undefined) return {};
  return { [first]: rest.length === 0 ? value : placed(rest, value) };
}

async function define(server: LiveServer, kind: keyof typeof KINDS): Promise<void> {
  const { spec, status, ...rest } = KINDS[kind];
  const scale = {
    specReplicasPath: `.${spec.join('.')}`,
    statusReplicasPath: `.${status.join('.')}`,
    ...('selector' in rest && { labelSelectorPath: rest.selector }),
  };
  const definition = customResourceDefinition(GROUP, kind, SCHEMA, { status: {}, scale });
  await server.make('POST', DEFINITIONS, definition);
  const headers = { authorization: 'Bearer admin' };
  const path = `${NAMESPACE}/${kind.toLowerCase()}s`;
  while ((await server.send({ method: 'GET', path, headers })).status !== 200) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

let made = 0;

async function answers(server: LiveServer, { kind, operations, ...one }: ScaleCase): Promise<unknown[]> {
  const { spec, status } = KINDS[kind];
  const name = `o${++made}`;
  const path = `${NAMESPACE}/${kind.toLowerCase()}s`;
  const object = { apiVersion: `${GROUP}/v1`, kind, metadata: { name }, ...placed(spec, one.replicas) };
  const { metadata } = await server.make('POST', path, object).catch(() => ({ metadata: undefined }));
  if (metadata === undefined) return ['refused'];
  const selector = one.selector === undefined ? {} : { selector: one.selector };
  const stated = { ...placed(status, one.status) } as { status?: object };
  const withStatus = { ...object, metadata, status: { ...stated.status, ...selector } };
  const before = await server.send({
    method: 'PUT',
    path: `${path}/${name}/status`,
    body: JSON.stringify(withStatus),
    headers: { authorization: 'Bearer admin', 'content-type': 'application/json' },
  });
  let version = versionIn(before) ?? '1';
  const found = [comparable(before, name)];
  for (const { query, body, ...request } of operations) {
    const sent = body?.replaceAll('$name', name).replaceAll('$version', version).replaceAll('$uid', metadata.uid);
    const response = await server.send({
      ...request,
      path: `${path}/${name}/scale?${query}`,
      ...(sent !== undefined && { body: sent }),
    });
    version = versionIn(response) ?? version;
    found.push(comparable(response, name));
  }
  const last = await server.send({
    method: 'GET',
    path: `${path}/${name}`,
    headers: { authorization: 'Bearer admin' },
  });
  return [...found, comparable(last, name)];
}

function versionIn({ body }: LiveResponse): string | undefined {
  return /"resourceVersion":"(\d+)"/.exec(body.toString())?.[1];
}

/** The programs name their schemes and keys in different ways, and one writes more versions than the other. */
function comparable({ status, headers, body }: LiveResponse, name: string): unknown {
  const text = body
    .toString()
    .replaceAll(new RegExp(`\\b${name}\\b`, 'g'), 'NAME')
    .replaceAll('/registry/apiextensions.kubernetes.io/', '/registry/')
    .replaceAll(/in scheme \\"[^\\]+\\"/g, 'in SCHEME')
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, 'UID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME')
    .replaceAll(/(resourceVersion\\*":\\*")\d+/g, '$1VERSION')
    .replaceAll(/"\d+[smh]\d*s?"/g, '"AGE"');
  return { status, type: headers['content-type'], warning: headers.warning, text };
}

describeLive('scales of custom resources', {}, (servers) => {
  it('get the responses of upstream’s server', async () => {
    const { theirs, ours } = servers();
    await ours.make('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
    for (const server of [theirs, ours]) {
      for (const kind of NAMES) await define(server, kind);
    }
    await compareCases<ScaleCase, unknown[]>(
      { ask: (_, one) => answers(theirs, one as ScaleCase) as never },
      { area: 'scales', randomCase, atOnce: 20, mostAsked: 20, ours: (one) => answers(ours, one) },
    );
  });
});
