import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findEtcd, NO_ETCD, startEtcd } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';
import { OtlpReceiver } from '../tracing/otlp-receiver.ts';
import { serverOn } from './server-on.ts';

/** The trace of an administrator. */
const SAMPLED = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

it.skipIf(findEtcd() === undefined)(`requests to etcd are spans (${NO_ETCD})`, async () => {
  using folder = temporaryDirectory('etcd');
  await using receiver = await OtlpReceiver.start();
  await using etcd = await startEtcd();
  const file = join(folder.path, 'tracing.yaml');
  const fields = `endpoint: 127.0.0.1:${receiver.port}`;
  writeFileSync(file, `apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n${fields}\n`);
  {
    await using server = await serverOn(etcd, folder.path, 0, [`--tracing-config-file=${file}`]);
    using client = new AdminClient(server.kubeconfig);
    await client.request('POST', CONFIG_MAPS, { metadata: { name: 'a' }, data: {} }, SAMPLED);
    await client.request('GET', `${CONFIG_MAPS}/a`, undefined, SAMPLED);
    await server.stop();
  }
  const parentOf = (parent: string) => receiver.spans.find(({ spanId }) => spanId === parent);
  /** The names of the spans around each span of a call, from the inside. */
  const around = (name: string) =>
    receiver.spans
      .filter((span) => span.name === name)
      .map(({ parent }) => {
        const span = parentOf(parent);
        return [span?.name, span?.attributes['key'], parentOf(span?.parent ?? '')?.name];
      });
  expect(around('etcdserverpb.KV/Txn')).toEqual([['Create etcd3', '/configmaps/default/a', 'Create']]);
  expect(around('etcdserverpb.KV/Range')).toContainEqual(['cacher.Get', '/configmaps/default/a', 'Get']);
  const call = receiver.spans.find(({ name }) => name === 'etcdserverpb.KV/Range');
  expect(call).toMatchObject({
    scope: 'go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc',
    attributes: { 'rpc.method': 'etcdserverpb.KV/Range', 'rpc.system.name': 'grpc' },
  });
});
