import { describe, expect, it } from 'vitest';
import { startControlPlane } from '../index.js';
import { transports } from '../testing/plane-senders.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: '1' } });
const json = (body: unknown, contentType = 'application/json') => ({
  body: JSON.stringify(body),
  headers: { 'content-type': contentType, 'user-agent': 'operator/1' },
});

describe.each(transports)('over %s', (_, newSend) => {
  it('records requests with their objects, patches and responses', async () => {
    await using plane = await startControlPlane({ clock: new Date('2030-01-01T00:00:00Z'), controllers: [] });
    const send = newSend(plane);
    await send({ method: 'POST', path: `${configMaps}?dryRun=All`, body: configMap('a') });
    await send({ method: 'POST', path: configMaps, body: configMap('a') });
    const patch = { metadata: { labels: { a: 'b' } } };
    const contentType = 'application/merge-patch+json';
    await send({ method: 'PATCH', path: `${configMaps}/a`, body: patch, contentType });
    await send({ path: `${configMaps}/b` });
    await send({ path: configMaps });
    const records = plane.requests();
    await expect.poll(() => records.map(({ duration }) => typeof duration)).toEqual(Array(5).fill('number'));
    expect(records.map(({ number, verb, name }) => [number, verb, name])).toEqual([
      [1, 'create', 'a'],
      [2, 'create', 'a'],
      [3, 'patch', 'a'],
      [4, 'get', 'b'],
      [5, 'list', ''],
    ]);
    const stored = { kind: 'ConfigMap', metadata: { name: 'a', uid: expect.any(String) } };
    expect(JSON.parse(JSON.stringify(records))).toMatchObject([
      {
        number: 1,
        time: '2030-01-01T00:00:00.000Z',
        duration: expect.any(Number),
        aborted: false,
        faults: [],
        user: 'root',
        groups: ['system:masters', 'system:authenticated'],
        method: 'POST',
        verb: 'create',
        group: '',
        version: 'v1',
        resource: 'configmaps',
        subresource: '',
        namespace: 'default',
        name: 'a',
        path: configMaps,
        query: { dryRun: 'All' },
        body: configMap('a'),
        response: { status: 201, body: stored },
      },
      { query: {}, response: { status: 201, body: stored } },
      { patch: { type: contentType, body: patch }, response: { status: 200, body: stored } },
      { response: { status: 404, body: { kind: 'Status', reason: 'NotFound' } } },
      { response: { status: 200, body: { kind: 'ConfigMapList', items: expect.any(Array) } } },
    ]);
  });
});

it('begins when the plane is ready, and counts the events of watches', async () => {
  await using plane = await startControlPlane({ objects: configMap('first') });
  expect(plane.requests()).toEqual([]);
  const watch = await plane.fetch(`${configMaps}?watch=true`);
  const reader = watch.body?.getReader();
  await reader?.read();
  await plane.fetch(configMaps, { method: 'POST', ...json(configMap('second')) });
  await reader?.read();
  const [record] = plane.requests({ verb: 'watch' });
  expect(record).toMatchObject({ duration: undefined, response: { status: 200 } });
  expect(record?.events).toBeGreaterThanOrEqual(2);
  await reader?.cancel();
  expect(record).toMatchObject({ duration: expect.any(Number), aborted: true });
});

it('selects by every field', async () => {
  await using plane = await startControlPlane({ controllers: [] });
  await plane.fetch(configMaps, { method: 'POST', ...json(configMap('a')) });
  await plane.fetch(`/api/v1/namespaces/default/pods/p/status`);
  await plane.user('alice').fetch('/apis/apps/v1/deployments');
  await plane.fetch('/version');
  const numbers = (filter: Parameters<typeof plane.requests>[0]) => plane.requests(filter).map(({ number }) => number);
  expect(numbers({ verb: 'create' })).toEqual([1]);
  expect(numbers({ name: 'a' })).toEqual([1]);
  expect(numbers({ namespace: 'default' })).toEqual([1, 2]);
  expect(numbers({ resource: 'pods/status' })).toEqual([2]);
  expect(numbers({ resource: 'pods' })).toEqual([]);
  expect(numbers({ user: 'alice' })).toEqual([3]);
  expect(numbers({ group: 'apps', version: 'v1' })).toEqual([3]);
  expect(numbers({ path: ['/version', '/apis/*'] })).toEqual([3, 4]);
  expect(numbers({ verb: 'get', after: 2 })).toEqual([4]);
  expect(plane.requests({ user: 'alice' })[0]?.response).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
  expect(() => plane.requests(JSON.parse('{"verbs":"get"}'))).toThrow(/^filter\.verbs: unknown field/);
  plane.clearRequests();
  expect(plane.requests()).toEqual([]);
  await plane.fetch('/version');
  expect(numbers({})).toEqual([5]);
});

it('keeps requests of the plane to itself apart', async () => {
  await using plane = await startControlPlane();
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } };
  await plane.fetch('/api/v1/namespaces', { method: 'POST', ...json(namespace) });
  const created = () => plane.requests({ internal: true, resource: 'serviceaccounts', namespace: 'n' });
  await expect
    .poll(created)
    .toMatchObject([{ user: 'system:apiserver', verb: 'create', body: { kind: 'ServiceAccount' } }]);
  expect(plane.requests().map(({ user }) => user)).toEqual(['kubernetes-admin']);
});

it('keeps the newest thousand, and bodies of 8 MiB', async () => {
  await using plane = await startControlPlane({ controllers: [] });
  for (let i = 0; i < 1_003; i++) await plane.fetch('/version');
  expect([plane.requests().length, plane.requests()[0]?.number, plane.droppedRequests]).toEqual([1_000, 4, 3]);
  const large = { ...configMap('large'), data: { a: 'x'.repeat(100 * 1024) } };
  for (let i = 0; i < 50; i++) await plane.fetch(`${configMaps}?dryRun=All`, { method: 'POST', ...json(large) });
  expect(plane.requests().length).toBeLessThan(50);
  expect(plane.requests().at(-1)).toMatchObject({ body: large, response: { body: { kind: 'ConfigMap' } } });
  const huge = { ...configMap('huge'), data: { a: 'x'.repeat(200 * 1024) } };
  await plane.fetch(configMaps, { method: 'POST', ...json(huge) });
  const [record] = plane.requests({ after: 1_053 });
  expect(record).toMatchObject({ verb: 'create', body: undefined, response: { status: 201, body: undefined } });
});
