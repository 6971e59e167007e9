import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControllerServer, conditionTexts, startControllerServer } from './controller-server.ts';

const poll = { interval: 20 };
const container = { name: 'c', image: 'registry.example/pause:3' };
const pod = (name: string, metadata: object = {}, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [container], ...spec },
});
const configMap = (name: string, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
});

// Upstream: test/e2e/apimachinery/namespace.go
describe('namespace-controller', () => {
  let server: ControllerServer;

  beforeAll(async () => {
    server = await startControllerServer('namespace-controller', ['--disable-admission-plugins=ServiceAccount']);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const create = (name: string) => server.create('/api/v1/namespaces', { metadata: { name } });
  const gone = (path: string) => expect.poll(() => server.get(path), poll).toBe(undefined);

  it('removes all pods of a deleted namespace, and the namespace', async () => {
    await create('pods');
    await server.create('/api/v1/namespaces/pods/pods', pod('one'));
    await server.create('/api/v1/namespaces/pods/pods', pod('two', { labels: { app: 'x' } }));
    await server.delete('/api/v1/namespaces/pods');
    await gone('/api/v1/namespaces/pods');
    await create('pods');
    expect(await server.list('/api/v1/namespaces/pods/pods')).toEqual([]);
  });

  it('removes all services of a deleted namespace', async () => {
    await create('services');
    const service = { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }], selector: { app: 'web' } } };
    await server.create('/api/v1/namespaces/services/services', service);
    await server.delete('/api/v1/namespaces/services');
    await gone('/api/v1/namespaces/services');
    await create('services');
    expect(await server.list('/api/v1/namespaces/services/services')).toEqual([]);
  });

  it('removes objects of many kinds', async () => {
    await create('mixed');
    const metadata = (name: string) => ({ metadata: { name } });
    const objects = [
      ['/api/v1/namespaces/mixed/configmaps', metadata('a')],
      ['/api/v1/namespaces/mixed/secrets', metadata('a')],
      ['/api/v1/namespaces/mixed/serviceaccounts', metadata('a')],
      ['/apis/coordination.k8s.io/v1/namespaces/mixed/leases', metadata('a')],
      ['/apis/rbac.authorization.k8s.io/v1/namespaces/mixed/roles', { ...metadata('a'), rules: [] }],
      ['/apis/networking.k8s.io/v1/namespaces/mixed/networkpolicies', { ...metadata('a'), spec: { podSelector: {} } }],
    ] as const;
    for (const [path, object] of objects) await server.create(path, object);
    await server.delete('/api/v1/namespaces/mixed');
    await gone('/api/v1/namespaces/mixed');
    for (const [path] of objects) expect(await server.list(path)).toEqual([]);
  });

  it('removes custom objects, also of a kind that came after the start', async () => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    };
    await server.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    await create('custom');
    const widgets = '/apis/example.com/v1/namespaces/custom/widgets';
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };
    await expect.poll(() => server.create(widgets, widget).catch(() => undefined), poll).toBeDefined();
    await server.delete('/api/v1/namespaces/custom');
    await gone('/api/v1/namespaces/custom');
    expect(await server.list('/apis/example.com/v1/widgets')).toEqual([]);
  });

  it('deletes pods before anything else, and reports what remains', async () => {
    await create('ordered');
    await server.create('/api/v1/namespaces/ordered/pods', pod('kept', { finalizers: ['example.com/wait'] }));
    await server.create('/api/v1/namespaces/ordered/configmaps', configMap('used'));
    await server.delete('/api/v1/namespaces/ordered');
    await expect
      .poll(async () => conditionTexts(await server.get('/api/v1/namespaces/ordered')), poll)
      .toEqual([
        'NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: All resources successfully discovered',
        'NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: All legacy kube types successfully parsed',
        'NamespaceDeletionContentFailure False ContentDeleted: All content successfully deleted, may be waiting on finalization',
        'NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: pods. has 1 resource instances',
        'NamespaceFinalizersRemaining True SomeFinalizerRemain: Some finalizers are remaining: example.com/wait in 1 resource instances',
      ]);
    const kept = await server.get('/api/v1/namespaces/ordered/pods/kept');
    const used = await server.get('/api/v1/namespaces/ordered/configmaps/used');
    expect([kept?.metadata.deletionTimestamp !== undefined, used?.metadata.deletionTimestamp]).toEqual([
      true,
      undefined,
    ]);
    await server.patch('/api/v1/namespaces/ordered/pods/kept', { metadata: { finalizers: null } });
    await gone('/api/v1/namespaces/ordered');
  });

  it('waits for the finalizers of content, and goes as soon as they are gone', async () => {
    await create('held');
    await server.create('/api/v1/namespaces/held/configmaps', configMap('held', { finalizers: ['example.com/wait'] }));
    await server.create('/api/v1/namespaces/held/configmaps', configMap('free'));
    await server.delete('/api/v1/namespaces/held');
    await gone('/api/v1/namespaces/held/configmaps/free');
    const remains = 'Some resources are remaining: configmaps. has 1 resource instances';
    await expect
      .poll(async () => conditionTexts(await server.get('/api/v1/namespaces/held')), poll)
      .toContain(`NamespaceContentRemaining True SomeResourcesRemain: ${remains}`);
    await server.patch('/api/v1/namespaces/held/configmaps/held', { metadata: { finalizers: null } });
    await gone('/api/v1/namespaces/held');
  });

  it('keeps a namespace whose own finalizers are not its', async () => {
    await server.create('/api/v1/namespaces', { metadata: { name: 'own', finalizers: ['example.com/own'] } });
    await server.create('/api/v1/namespaces/own/configmaps', configMap('a'));
    await server.delete('/api/v1/namespaces/own');
    await gone('/api/v1/namespaces/own/configmaps/a');
    await expect.poll(async () => (await server.get('/api/v1/namespaces/own'))?.['spec'], poll).toEqual({});
    await server.patch('/api/v1/namespaces/own', { metadata: { finalizers: null } });
    await gone('/api/v1/namespaces/own');
  });

  it('removes a namespace with 100 objects, and many namespaces at once', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `many-${i}`);
    await Promise.all(names.map(create));
    const inFirst = Array.from({ length: 100 }, (_, i) => configMap(`c${i}`));
    await Promise.all(inFirst.map((object) => server.create('/api/v1/namespaces/many-0/configmaps', object)));
    await Promise.all(names.map((name) => server.delete(`/api/v1/namespaces/${name}`)));
    await expect
      .poll(
        async () => (await server.list('/api/v1/namespaces')).filter(({ metadata }) => names.includes(metadata.name)),
        poll,
      )
      .toEqual([]);
  });

  it('counts its work under the names of upstream', async () => {
    const metrics = await server.read('/metrics');
    for (const name of ['adds_total', 'depth', 'queue_duration_seconds_count', 'work_duration_seconds_count']) {
      expect(metrics).toMatch(new RegExp(`^workqueue_${name}\\{name="namespace"\\} \\d`, 'm'));
    }
  });
});

describe('--controllers', () => {
  it('runs none by default', async () => {
    await using server = await startControllerServer('-namespace-controller');
    await server.create('/api/v1/namespaces', { metadata: { name: 'stays' } });
    await server.delete('/api/v1/namespaces/stays');
    expect(Object((await server.get('/api/v1/namespaces/stays'))?.['spec'])).toEqual({ finalizers: ['kubernetes'] });
  });

  it('pauses while a kube-controller-manager holds its lease', async () => {
    await using server = await startControllerServer();
    const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    const held = { holderIdentity: 'somewhere', leaseDurationSeconds: 3600, renewTime };
    await server.create(lease, { metadata: { name: 'kube-controller-manager' }, spec: held });
    await server.create('/api/v1/namespaces', { metadata: { name: 'paused' } });
    await server.delete('/api/v1/namespaces/paused');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await server.get('/api/v1/namespaces/paused')).toBeDefined();
    await server.patch(`${lease}/kube-controller-manager`, { spec: { holderIdentity: '' } });
    await expect.poll(() => server.get('/api/v1/namespaces/paused'), poll).toBe(undefined);
  });

  it('refuses unknown names', async () => {
    const refusal = '"moon" is not in the list of known controllers';
    await expect(startControllerServer('*,-moon')).rejects.toThrow(refusal);
  });
});
