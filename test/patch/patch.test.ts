import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';
import { configMaps, installResources, type Resource, widgets } from '../watch/resources.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const DEPLOYMENT = '/apis/apps/v1/namespaces/watched/deployments/d';

interface Shown {
  readonly message?: string;
  readonly reason?: string;
  readonly metadata: { readonly resourceVersion: string; readonly managedFields?: readonly Entry[] };
  readonly spec: Record<string, unknown>;
  readonly status: Record<string, unknown>;
}

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly fieldsV1: object;
}

let server: ApiServer;
let client: AdminClient;

beforeAll(async () => {
  server = await startApiServer();
  client = new AdminClient(server.kubeconfig);
  await installResources(client);
});

afterAll(async () => {
  client[Symbol.dispose]();
  await server.stop();
  await server[Symbol.asyncDispose]();
});

async function send(type: string, path: string, body: unknown): Promise<{ status: number; shown: Shown }> {
  const { status, body: text } = await client.request('PATCH', path, body, { 'content-type': type });
  return { status, shown: JSON.parse(text) };
}

const applied = ({ apiVersion, kind }: Resource, name: string, rest: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name },
  data: { k: 'v' },
  ...rest,
});

describe.each([configMaps, widgets])('a write of $kind that changes nothing', (resource) => {
  it('is not written: no version is spent, no event is sent', async () => {
    const path = `${resource.path}/same`;
    const created = await send(APPLY, `${path}?fieldManager=m`, applied(resource, 'same'));
    expect(created.status).toBe(201);
    const before = (await client.json('GET', resource.path)) as unknown as Shown;
    const writes: readonly (readonly [string, unknown])[] = [
      [APPLY, applied(resource, 'same')],
      [MERGE, { data: { k: 'v' } }],
      [MERGE, {}],
      [JSON_PATCH, [{ op: 'replace', path: '/data/k', value: 'v' }]],
      [JSON_PATCH, []],
      ...(resource === configMaps ? ([[STRATEGIC, { data: { k: 'v' } }]] as const) : []),
    ];
    for (const [type, body] of writes) {
      const { status, shown } = await send(type, `${path}?fieldManager=m`, body);
      expect([type, status, shown.metadata]).toEqual([type, 200, created.shown.metadata]);
    }
    const { metadata: _metadata, ...plain } = applied(resource, 'same');
    const put = await client.request('PUT', path, { ...plain, metadata: created.shown.metadata });
    expect([put.status, JSON.parse(put.body).metadata]).toEqual([200, created.shown.metadata]);

    await send(MERGE, path, { data: { k: 'other' } });
    const version = before.metadata.resourceVersion;
    const watched = await client.request('GET', `${resource.path}?watch=1&resourceVersion=${version}&timeoutSeconds=1`);
    const events = watched.body.trim().split('\n');
    expect(events.map((line) => JSON.parse(line).object.data)).toEqual([{ k: 'other' }]);
  });
});

it('strategic merge patches of custom resources are refused', async () => {
  const { status, shown } = await send(STRATEGIC, `${widgets.path}/same`, {});
  expect([status, shown.reason, shown.message]).toEqual([
    415,
    'UnsupportedMediaType',
    expect.stringContaining('the body of the request was in an unknown format'),
  ]);
});

it.each([configMaps, widgets])('an apply of $kind at a version', async (resource) => {
  const path = `${resource.path}/versioned?fieldManager=m`;
  const at = (resourceVersion: string, value: string) =>
    send(APPLY, path, applied(resource, 'versioned', { metadata: { resourceVersion }, data: { k: value } }));
  const created = await send(APPLY, path, applied(resource, 'versioned'));
  const first = created.shown.metadata.resourceVersion;
  const second = await at(first, 'w');
  expect(second.status).toBe(200);
  const stale = await at(first, 'x');
  expect([stale.status, stale.shown.reason]).toEqual([409, 'Conflict']);
  expect(stale.shown.message).toContain(
    'the object has been modified; please apply your changes to the latest version',
  );
  const fields = second.shown.metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1);
  expect(JSON.stringify(fields)).not.toContain('resourceVersion');
});

it('status and scale are applied as parts of their own', async () => {
  const labels = { app: 'd' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  const made = await send(APPLY, `${DEPLOYMENT}?fieldManager=m`, { ...deployment, spec });
  expect(made.status).toBe(201);
  const condition = { type: 'Available', status: 'True' };
  const status = await send(APPLY, `${DEPLOYMENT}/status?fieldManager=s`, {
    ...deployment,
    spec: { paused: true },
    status: { conditions: [condition] },
  });
  expect([status.status, status.shown.spec['paused'], status.shown.status['conditions']]).toEqual([
    200,
    undefined,
    [expect.objectContaining(condition)],
  ]);

  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd' }, spec: { replicas: 3 } };
  const refused = await send(APPLY, `${DEPLOYMENT}/scale?fieldManager=h`, scale);
  expect([refused.status, refused.shown.message]).toEqual([
    409,
    'Apply failed with 1 conflict: conflict with "m": .spec.replicas',
  ]);
  const forced = await send(APPLY, `${DEPLOYMENT}/scale?fieldManager=h&force=true`, scale);
  expect([forced.status, forced.shown.spec]).toEqual([200, { replicas: 3 }]);

  const live = (await client.json('GET', DEPLOYMENT)) as unknown as Shown;
  expect(live.metadata.managedFields?.map(({ time: _time, ...entry }: Entry & { time?: string }) => entry)).toEqual([
    {
      manager: 'h',
      operation: 'Apply',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      subresource: 'scale',
    },
    expect.objectContaining({ manager: 'm', operation: 'Apply' }),
    expect.objectContaining({
      manager: 's',
      subresource: 'status',
      fieldsV1: {
        'f:status': { 'f:conditions': { 'k:{"type":"Available"}': { '.': {}, 'f:status': {}, 'f:type': {} } } },
      },
    }),
  ]);
  const own = live.metadata.managedFields?.find(({ manager }) => manager === 'm');
  expect(JSON.stringify(own?.fieldsV1)).not.toContain('f:replicas');
});
