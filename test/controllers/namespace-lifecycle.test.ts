import { planeTest } from '@apiserver/envtest/vitest';
import { CoreV1Api, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { describe, expect } from 'vitest';

const mergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
const name = 'life';
const test = planeTest({ objects: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } }).extend(
  'api',
  ({ plane }) => plane.client(CoreV1Api),
);

// Upstream: test/e2e/apimachinery/namespace.go
describe('a namespace', () => {
  test('takes a patch of its labels, and an update', async ({ api }) => {
    const patched = await api.patchNamespace({ name, body: { metadata: { labels: { team: 'a' } } } }, mergePatch);
    const labels = { ...patched.metadata?.labels, stage: 'test' };
    await api.replaceNamespace({ name, body: { ...patched, metadata: { ...patched.metadata, labels } } });
    const { metadata } = await api.readNamespace({ name });
    expect(metadata?.labels).toEqual({ team: 'a', stage: 'test', 'kubernetes.io/metadata.name': name });
  });

  test('takes conditions by its status only, by patch and by update', async ({ api }) => {
    const condition = (message: string) => ({
      type: 'StatusUpdate',
      status: 'True',
      reason: 'E2E',
      message,
      lastTransitionTime: new Date(0),
    });
    const conditionsOf = async () =>
      (await api.readNamespaceStatus({ name })).status?.conditions?.map(({ message }) => message);
    const ignored = { status: { conditions: [condition('ignored')] } };
    await api.patchNamespace({ name, body: ignored }, mergePatch);
    expect(await conditionsOf()).toBe(undefined);

    const body = { status: { conditions: [condition('patched')] } };
    const patched = await api.patchNamespaceStatus({ name, body }, mergePatch);
    expect(await conditionsOf()).toEqual(['patched']);

    const status = { ...patched.status, conditions: [condition('updated')] };
    await api.replaceNamespaceStatus({ name, body: { ...patched, status } });
    expect(await conditionsOf()).toEqual(['updated']);
  });

  test('takes a finalizer by its subresource, and keeps until that is removed', async ({ api }) => {
    const finalizersOf = async () => (await api.readNamespace({ name })).spec?.finalizers;
    const space = await api.readNamespace({ name });
    const finalizers = [...(space.spec?.finalizers ?? []), 'e2e.example.com/fake'];
    const held = await api.replaceNamespaceFinalize({ name, body: { ...space, spec: { finalizers } } });
    expect(await finalizersOf()).toEqual(['kubernetes', 'e2e.example.com/fake']);

    await api.deleteNamespace({ name });
    await expect.poll(finalizersOf).toEqual(['e2e.example.com/fake']);
    const current = await api.readNamespace({ name: held.metadata?.name ?? '' });
    expect(current.status?.phase).toBe('Terminating');
    await api.replaceNamespaceFinalize({ name, body: { ...current, spec: { finalizers: [] } } });
    await expect.poll(() => api.readNamespace({ name }).catch(({ code }) => code)).toBe(404);
  });

  test('refuses new objects while it is deleted', async ({ api }) => {
    const metadata = { name: 'held', namespace: name, finalizers: ['example.com/wait'] };
    await api.createNamespacedConfigMap({ namespace: name, body: { metadata } });
    await api.deleteNamespace({ name });
    const created = api.createNamespacedConfigMap({ namespace: name, body: { metadata: { name: 'late' } } });
    await expect(created).rejects.toMatchObject({ code: 403, body: expect.stringContaining('NamespaceTerminating') });
  });
});
