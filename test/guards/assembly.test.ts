import { describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { core, paths } from './objects.ts';

const server = assembledServer();

/** As kubeadm's kube-apiserver 1.36 lists them, but for the hooks of peers and of --proxy-client-cert-file. */
const PARTS = [
  'poststarthook/start-apiserver-admission-initializer',
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/storage-object-count-tracker-hook',
  'poststarthook/start-apiextensions-informers',
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/crd-informer-synced',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/start-cluster-authentication-info-controller',
  'poststarthook/start-kube-apiserver-identity-lease-controller',
  'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
  'poststarthook/storage-readiness',
  'poststarthook/start-legacy-token-tracking-controller',
  'poststarthook/start-service-ip-repair-controllers',
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/priority-and-fairness-config-producer',
  'poststarthook/bootstrap-controller',
  'poststarthook/start-kubernetes-service-cidr-controller',
  'poststarthook/start-kube-aggregator-informers',
  'poststarthook/apiservice-status-local-available-controller',
  'poststarthook/apiservice-status-remote-available-controller',
  'poststarthook/apiservice-registration-controller',
  'poststarthook/apiservice-discovery-controller',
  'poststarthook/kube-apiserver-autoregistration',
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];

it.each([
  ['readyz', ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...PARTS, 'shutdown']],
  ['livez', ['ping', 'log', 'loopback-serving-certificate', 'etcd', ...PARTS]],
  ['healthz', ['ping', 'log', 'loopback-serving-certificate', 'etcd', ...PARTS]],
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
