import { planeTest } from '@apiserver/envtest/vitest';
import { CoreV1Api, CustomObjectsApi } from '@kubernetes/client-node';
import { expect } from 'vitest';

/** Each test has a control plane of its own: a fork of one that has the definition and the namespace `shop`. */
const test = planeTest({
  crds: 'config',
  objects: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
});

const widgets = { group: 'example.com', version: 'v1', namespace: 'shop', plural: 'widgets' };
const widget = (name: string, size: number) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec: { size },
});

test('a widget is stored', async ({ plane }) => {
  const api = plane.client(CustomObjectsApi);
  await api.createNamespacedCustomObject({ ...widgets, body: widget('first', 2) });
  expect(await api.getNamespacedCustomObject({ ...widgets, name: 'first' })).toMatchObject({ spec: { size: 2 } });
});

test('a widget without a size is refused, as in a cluster', async ({ plane }) => {
  const api = plane.client(CustomObjectsApi);
  const created = api.createNamespacedCustomObject({ ...widgets, body: widget('first', 0) });
  await expect(created).rejects.toMatchObject({ code: 422 });
});

test('nothing of another test is there', async ({ plane }) => {
  const { items } = await plane.client(CustomObjectsApi).listNamespacedCustomObject(widgets);
  expect(items).toEqual([]);
});

test('a user has the rights of its groups, and no others', async ({ plane }) => {
  const alice = plane.user('alice').client(CoreV1Api);
  await expect(alice.listNamespacedPod({ namespace: 'shop' })).rejects.toMatchObject({ code: 403 });
});

test('a deleted namespace goes, with everything in it', async ({ plane }) => {
  const api = plane.client(CoreV1Api);
  await plane.install({ ...widget('first', 1), metadata: { name: 'first', namespace: 'shop' } });
  await api.deleteNamespace({ name: 'shop' });
  await expect.poll(() => plane.fetch('/api/v1/namespaces/shop')).toMatchObject({ status: 404 });
});
