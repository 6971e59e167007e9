import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { startKubeApiserver } from '@apiserver/kube-apiserver';
import { temporaryDirectory } from '../../harness/api-server.ts';
import { LiveServer, startUpstream } from '../live-servers.ts';
import { BACKENDS, type Backends, startBackends } from './aggregated-backends.ts';

/** Both servers, and the servers behind their services. */
export interface AggregatedServers {
  readonly backends: Backends;
  readonly theirs: LiveServer;
  readonly ours: LiveServer;
}

/** Starts a program of upstream's modules that has an aggregator, and our server. Every known user may do everything. */
export async function startAggregated(
  stack: AsyncDisposableStack,
  program: 'aggregator' | 'chain',
): Promise<AggregatedServers> {
  const backends = await startBackends(stack);
  const folder = stack.use(temporaryDirectory('aggregation')).path;
  mkdirSync(folder, { recursive: true });
  const file = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const proxy = makeTestCertificate({ commonName: 'front-proxy' });
  const lines = ['admin,admin,u-admin,system:masters', 'alice,alice,u-alice,"dev,ops"', 'bob,"b ö b",'];
  const common = [
    `--token-auth-file=${file('tokens.csv', `${lines.join('\n')}\n`)}`,
    `--proxy-client-cert-file=${file('proxy.crt', proxy.certificate)}`,
    `--proxy-client-key-file=${file('proxy.key', proxy.key)}`,
    '--bind-address=127.0.0.1',
  ];
  const server = await startKubeApiserver({
    dataDirectory: join(folder, 'ours'),
    storageBackend: 'memory',
    flags: [...common, '--authorization-mode=AlwaysAllow', '--enable-priority-and-fairness=false'],
  });
  stack.use(server);
  const ours = stack.use(new LiveServer(server.address));
  await makeServices(ours, backends);
  const cluster = { name: 'c', cluster: { server: server.address, 'insecure-skip-tls-verify': true } };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [cluster],
    users: [{ name: 'u', user: { token: 'admin' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  const flags = [...common, `--kubeconfig=${file('kubeconfig', JSON.stringify(kubeconfig))}`];
  const theirs = stack.use(new LiveServer(await startUpstream(stack, folder, flags, program)));
  return { backends, theirs, ours };
}

/** Upstream sees those of our server, too. */
async function makeServices(server: LiveServer, { ports }: Backends): Promise<void> {
  const metadata = (name: string) => ({ name, namespace: 'fish' });
  await server.make('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fish' } });
  const slices = '/apis/discovery.k8s.io/v1/namespaces/fish/endpointslices';
  for (const name of new Set(BACKENDS)) {
    if (name === 'none') continue;
    const port = { port: name === 'portless' ? 1 : ports[name], name: 'https' };
    const isInCluster = name === 'portless' || name === 'endless' || name === 'unready';
    const spec = isInCluster ? { ports: [port] } : { type: 'ExternalName', externalName: 'localhost', ports: [port] };
    await server.make('POST', '/api/v1/namespaces/fish/services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata(name),
      spec,
    });
  }
  await server.make('POST', slices, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    addressType: 'IPv4',
    metadata: { ...metadata('unready'), labels: { 'kubernetes.io/service-name': 'unready' } },
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false } }],
    ports: [{ name: 'https', port: 443 }],
  });
}
