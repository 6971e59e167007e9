/* global describe, expect, test, useControlPlane */

const { conflict } = require('@apiserver/envtest');
const { matchers } = require('@apiserver/envtest/matchers');

expect.extend(matchers);
const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const headers = { 'content-type': 'application/json' };
const create = (plane, name, size) => {
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec: { size } };
  return plane.fetch(widgets, { method: 'POST', headers, body: JSON.stringify(widget) });
};
const read = async (plane, path) => (await plane.fetch(path)).json();

describe('with a control plane per test', () => {
  const plane = useControlPlane({ crds: 'config' });

  test('a widget is stored', async () => {
    await create(plane(), 'first', 2);
    expect((await read(plane(), `${widgets}/first`)).spec).toEqual({ size: 2 });
  });

  test('a widget without a size is refused, as in a cluster', async () => {
    const refused = await create(plane(), 'first', 0);
    await expect(refused).toBeStatus({ code: 422, reason: 'Invalid' });
  });

  test('a request meets a fault', async () => {
    plane().faults.add({ verb: 'create', times: 1, response: conflict() });
    await expect(await create(plane(), 'first', 2)).toBeStatus({ reason: 'Conflict' });
    expect(plane()).toHaveRequested({ verb: 'create', resource: 'widgets' }, { times: 1 });
  });

  test('nothing of another test is there', async () => {
    expect((await read(plane(), widgets)).items).toEqual([]);
  });

  test('a user has the rights of its groups, and no others', async () => {
    const { status } = await plane().user('alice').fetch(widgets);
    expect(status).toBe(403);
  });
});

describe('with one control plane for all tests', () => {
  const plane = useControlPlane({ crds: 'config', per: 'file' });

  test('a test creates a widget', async () => {
    await create(plane(), 'first', 2);
  });

  test('the next one sees it', async () => {
    expect((await read(plane(), widgets)).items).toHaveLength(1);
  });
});

describe('with one control plane that is restored before each test', () => {
  const plane = useControlPlane({ crds: 'config', reset: 'restore', clock: new Date('2030-01-01T00:00:00Z') });

  test('a test creates a widget', async () => {
    expect((await create(plane(), 'first', 2)).status).toBe(201);
  });

  test('the next one does not see it', async () => {
    expect((await read(plane(), widgets)).items).toEqual([]);
  });

  test('objects are created at the time of the plane', async () => {
    const { metadata } = await (await create(plane(), 'later', 2)).json();
    expect(metadata.creationTimestamp).toBe('2030-01-01T00:00:00Z');
  });
});
