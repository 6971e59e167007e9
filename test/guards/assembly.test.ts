import { describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { core, paths } from './objects.ts';

const server = assembledServer();

const HOOKS = [
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'generic-apiserver-start-informers',
  'start-system-namespaces-controller',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'start-service-ip-repair-controllers',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'start-legacy-token-tracking-controller',
  'storage-readiness',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'kube-apiserver-autoregistration',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
].map((name) => `poststarthook/${name}`);

it.each([
  [
    'readyz',
    ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', 'autoregister-completion', ...HOOKS, 'shutdown'],
  ],
  ['livez', ['ping', 'log', 'etcd', 'loopback-serving-certificate', 'autoregister-completion', ...HOOKS]],
  ['healthz', ['ping', 'log', 'etcd', 'loopback-serving-certificate', 'autoregister-completion', ...HOOKS]],
])('%s waits for every part', async (path, checks) => {
  await server.until(200, () => server.ask('GET', `/${path}`));
  const { body } = await server.ask('GET', `/${path}?verbose`);
  expect(body.match(/(?<=^\[\+\]).*(?= ok$)/gm)).toEqual(checks);
});

describe('the hooks have left', () => {
  it.each([
    ['the system namespaces', '/api/v1/namespaces', ['default', 'kube-node-lease', 'kube-public', 'kube-system']],
    ['the service kubernetes', '/api/v1/namespaces/default/services', ['kubernetes']],
    ['its endpoints', '/api/v1/namespaces/default/endpoints', ['kubernetes']],
    ['its slice', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', ['kubernetes']],
    ['the network of services', '/apis/networking.k8s.io/v1/servicecidrs', ['kubernetes']],
    [
      'the priority classes of the system',
      '/apis/scheduling.k8s.io/v1/priorityclasses',
      ['system-cluster-critical', 'system-node-critical'],
    ],
    [
      'whom the server trusts, and since when tokens are tracked',
      '/api/v1/namespaces/kube-system/configmaps',
      ['extension-apiserver-authentication', 'kube-apiserver-legacy-service-account-token-tracking'],
    ],
  ])('%s', async (_what, path, names) => {
    await expect
      .poll(async () =>
        (await server.ask('GET', path)).body.items.map((one: { metadata: { name: string } }) => one.metadata.name),
      )
      .toEqual(names);
  });

  it('a lease of this server', async () => {
    const path = paths.inGroup('coordination.k8s.io', 'kube-system', 'leases');
    await expect
      .poll(async () =>
        (await server.ask('GET', path)).body.items.map((one: { metadata: { name: string } }) => one.metadata.name),
      )
      .toEqual([expect.stringMatching(/^apiserver-/)]);
  });
});

it('metrics count the stored objects', async () => {
  await server.make(paths.in('default', 'services'), core('Service', 's', { spec: { ports: [{ port: 80 }] } }));
  const { body } = await server.ask('GET', '/metrics');
  const sampled = (sample: string) =>
    Number(
      body
        .split('\n')
        .find((line: string) => line.startsWith(`${sample} `))
        ?.split(' ')
        .at(-1),
    );
  expect([
    sampled('kube_apiserver_clusterip_allocator_allocated_ips{cidr="10.0.0.0/24"}'),
    sampled('kube_apiserver_clusterip_allocator_available_ips{cidr="10.0.0.0/24"}'),
  ]).toEqual([2, 252]);
});
