import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useControlPlane } from '@apiserver/envtest/node-test';
import { CustomObjectsApi } from '@kubernetes/client-node';

const widgets = { group: 'example.com', version: 'v1', namespace: 'default', plural: 'widgets' };
const widget = (name: string, size: number) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec: { size },
});

describe('with a control plane per test', () => {
  const plane = useControlPlane({ crds: 'config' });

  test('a widget is stored', async () => {
    const api = plane().client(CustomObjectsApi);
    await api.createNamespacedCustomObject({ ...widgets, body: widget('first', 2) });
    const { spec } = await api.getNamespacedCustomObject({ ...widgets, name: 'first' });
    assert.deepEqual(spec, { size: 2 });
  });

  test('nothing of another test is there', async () => {
    const { items } = await plane().client(CustomObjectsApi).listNamespacedCustomObject(widgets);
    assert.deepEqual(items, []);
  });

  test('a subtest has a control plane of its own', async (parent) => {
    const outer = plane().url;
    await parent.test('inside', () => assert.notEqual(plane().url, outer));
    assert.equal(plane().url, outer);
  });
});

describe('with one control plane for all tests', () => {
  const plane = useControlPlane({ per: 'file', prepare: (prepared) => void prepared.clock.hold() });

  test('a test moves the time', async () => {
    await plane().clock.advance('1h');
  });

  test('the next one sees it', () => {
    assert.ok(plane().clock.now() > Date.now() + 3_000_000);
  });
});
