import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApiException,
  CoreV1Api,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  Watch,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';

const namespace = 'default';

function load(kubeconfig: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return config;
}

describe('@kubernetes/client-node', () => {
  let server: ApiServer;
  let config: KubeConfig;
  let core: CoreV1Api;

  beforeAll(async () => {
    server = await startApiServer();
    config = load(server.kubeconfig);
    core = config.makeApiClient(CoreV1Api);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('creates, reads, replaces, patches, lists and deletes', async () => {
    const created = await core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: 'crud' }, data: { a: '1' } },
    });
    expect([created.metadata?.uid?.length, created.data]).toEqual([36, { a: '1' }]);
    expect(await core.readNamespacedConfigMap({ namespace, name: 'crud' })).toEqual(created);

    const replaced = await core.replaceNamespacedConfigMap({
      namespace,
      name: 'crud',
      body: { ...created, data: { a: '2' } },
    });
    expect(replaced.data).toEqual({ a: '2' });

    const patched = await core.patchNamespacedConfigMap(
      { namespace, name: 'crud', body: { data: { b: '3' } } },
      setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
    );
    expect(patched.data).toEqual({ a: '2', b: '3' });

    const listed = await core.listNamespacedConfigMap({ namespace, fieldSelector: 'metadata.name=crud' });
    expect(listed.items).toEqual([expect.objectContaining({ data: patched.data, metadata: patched.metadata })]);

    await core.deleteNamespacedConfigMap({ namespace, name: 'crud' });
    const gone = await core.readNamespacedConfigMap({ namespace, name: 'crud' }).catch((error: unknown) => error);
    expect(gone instanceof ApiException && [gone.code, JSON.parse(gone.body)]).toEqual([
      404,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'configmaps "crud" not found',
        reason: 'NotFound',
        details: { name: 'crud', kind: 'configmaps' },
        code: 404,
      },
    ]);
  });

  it('refuses an update from an old version', async () => {
    const body: V1ConfigMap = { metadata: { name: 'stale' } };
    const created = await core.createNamespacedConfigMap({ namespace, body });
    await core.replaceNamespacedConfigMap({ namespace, name: 'stale', body: { ...created, data: { a: '1' } } });
    const refused = await core
      .replaceNamespacedConfigMap({ namespace, name: 'stale', body: { ...created, data: { a: '2' } } })
      .catch((error: unknown) => error);
    expect(refused instanceof ApiException && refused.code).toBe(409);
  });

  it('watches', async () => {
    const events: [string, string][] = [];
    const { metadata } = await core.listNamespacedConfigMap({ namespace });
    const controller = await new Watch(config).watch(
      `/api/v1/namespaces/${namespace}/configmaps`,
      { resourceVersion: metadata?.resourceVersion },
      (phase: string, object: V1ConfigMap) => events.push([phase, object.metadata?.name ?? '']),
      () => {},
    );
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'watched' } } });
    await core.deleteNamespacedConfigMap({ namespace, name: 'watched' });
    await expect.poll(() => events.length).toBe(2);
    controller.abort();
    expect(events).toEqual([
      ['ADDED', 'watched'],
      ['DELETED', 'watched'],
    ]);
  });
});

describe('an informer over a restart of the server', () => {
  it('loses nothing and sees nothing twice', async () => {
    using folder = temporaryDirectory('informer');
    const dataDirectory = join(folder.path, 'data');
    let server = await startApiServer({ dataDirectory });
    const { port } = server;
    const config = load(server.kubeconfig);
    const core = config.makeApiClient(CoreV1Api);
    const create = (name: string) => core.createNamespacedConfigMap({ namespace, body: { metadata: { name } } });
    const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
      core.listNamespacedConfigMap({ namespace }),
    );
    const added: string[] = [];
    const deleted: string[] = [];
    let running = true;
    informer.on('add', (object) => added.push(object.metadata?.name ?? ''));
    informer.on('delete', (object) => deleted.push(object.metadata?.name ?? ''));
    informer.on('error', () => {
      // As its documentation recommends: start again after a while.
      if (running) setTimeout(() => informer.start().catch(() => informer.start()), 100);
    });
    try {
      await create('before-1');
      await informer.start();
      await create('before-2');
      await expect.poll(() => added.length).toBe(2);

      await server.stop('SIGTERM');
      await sleep(50);
      server = await startApiServer({ dataDirectory, port });

      await create('after-1');
      await core.deleteNamespacedConfigMap({ namespace, name: 'before-1' });
      await create('after-2');
      await expect
        .poll(() => [informer.get('after-2', namespace) !== undefined, deleted.length > 0])
        .toEqual([true, true]);
      expect({
        added: [...added].sort(),
        deleted,
        now: informer
          .list()
          .map(({ metadata }) => metadata?.name)
          .sort(),
      }).toEqual({
        added: ['after-1', 'after-2', 'before-1', 'before-2'],
        deleted: ['before-1'],
        now: ['after-1', 'after-2', 'before-2'],
      });
    } finally {
      running = false;
      await informer.stop();
      await server[Symbol.asyncDispose]();
    }
  });
});
