import { constants } from 'node:http2';
import { CoreV1Api, KubeConfig, Watch } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const missing = kubectlMissing();

describe('a server with --http2-implementation=node', { timeout: 60_000 }, () => {
  let server: ApiServer;

  beforeAll(async () => {
    server = await startApiServer({ args: ['--http2-implementation=node'] });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('speaks HTTP/2 by nghttp2, which alone resets a GET of "*"', async () => {
    using admin = new AdminClient(server.kubeconfig);
    const stream = admin.session.request({ ':path': '*' }).on('error', () => {});
    await new Promise((resolve) => stream.on('close', resolve));
    expect(stream.rstCode).toBe(constants.NGHTTP2_PROTOCOL_ERROR);
    expect(await admin.request('GET', '/readyz')).toMatchObject({ status: 200, body: 'ok' });
  });

  it.skipIf(missing !== undefined)(`serves kubectl${missing ? ` (skipped: ${missing})` : ''}`, async () => {
    using kubectl = new Kubectl(server.kubeconfig);
    await kubectl.ok(['create', 'configmap', 'one', '--from-literal=a=1']);
    await kubectl.ok(['label', 'configmap', 'one', 'x=y']);
    expect(await kubectl.ok(['get', 'configmap', 'one', '-o', 'jsonpath={.data.a} {.metadata.labels.x}'])).toBe('1 y');
    await kubectl.ok(['delete', 'configmap', 'one']);
    expect(await kubectl.ok(['get', 'configmaps', '-l', 'x=y', '-o', 'name'])).toBe('');
  });

  it('serves watches to @kubernetes/client-node', async () => {
    const config = new KubeConfig();
    config.loadFromFile(server.kubeconfig);
    const seen: string[] = [];
    const watching = await new Watch(config).watch(
      '/api/v1/namespaces/default/configmaps',
      { fieldSelector: 'metadata.name=two' },
      (type) => seen.push(type),
      () => {},
    );
    const core = config.makeApiClient(CoreV1Api);
    const body = { metadata: { name: 'two' }, data: { large: 'x'.repeat(900_000) } };
    await core.createNamespacedConfigMap({ namespace: 'default', body });
    await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'two' });
    await expect.poll(() => seen).toEqual(['ADDED', 'DELETED']);
    watching.abort();
  });
});
