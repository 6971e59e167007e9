import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startKubeApiserver } from '../start/start-kube-apiserver.js';

let dataDirectory: string;
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'paths-'));
});
afterEach(() => rmSync(dataDirectory, { recursive: true }));

/** The paths that a server with these flags lists at its root, without those of API groups. */
async function servedPaths(...flags: readonly string[]): Promise<readonly string[]> {
  let read: (path: string) => Promise<unknown> = () => Promise.reject(new Error('not configured'));
  await using _server = await startKubeApiserver({
    dataDirectory,
    storageBackend: 'memory',
    flags,
    configure: ({ generic }) => {
      read = (path) => generic.loopback.read(path);
    },
  });
  const { paths } = (await read('/')) as { readonly paths: readonly string[] };
  return paths.filter((path) => !path.startsWith('/apis/') && !path.startsWith('/api/'));
}

const under = (root: string, names: readonly string[]) => names.map((name) => `${root}/${name}`);

const hooks = under('poststarthook', [
  ...[
    'apiservice-discovery-controller',
    'apiservice-openapi-controller',
    'apiservice-openapiv3-controller',
    'apiservice-registration-controller',
  ],
  ...['apiservice-status-local-available-controller', 'apiservice-status-remote-available-controller'],
  ...['bootstrap-controller', 'crd-informer-synced', 'generic-apiserver-start-informers'],
  ...['kube-apiserver-autoregistration', 'priority-and-fairness-config-consumer'],
  ...['priority-and-fairness-config-producer', 'priority-and-fairness-filter', 'rbac/bootstrap-roles'],
  ...['scheduling/bootstrap-system-priority-classes', 'start-apiextensions-controllers'],
  ...['start-apiextensions-informers', 'start-apiserver-admission-initializer'],
  ...['start-cluster-authentication-info-controller', 'storage-object-count-tracker-hook'],
  ...['start-kube-aggregator-informers', 'start-kube-apiserver-identity-lease-controller'],
  ...['start-kube-apiserver-identity-lease-garbage-collector', 'start-kubernetes-service-cidr-controller'],
  ...['start-legacy-token-tracking-controller', 'start-service-ip-repair-controllers'],
  ...['start-system-namespaces-controller', 'storage-readiness'],
]);
const checks = ['autoregister-completion', 'etcd', 'log', 'ping'];
const serving = 'loopback-serving-certificate';

it('lists the paths of everything that it serves, and every check of its health', async () => {
  expect(await servedPaths()).toEqual(
    [
      ...['/.well-known/openid-configuration', '/api', '/apis', '/flagz', '/healthz', '/livez', '/metrics'],
      ...['/metrics/slis', '/openapi/v2', '/openapi/v3', '/openid/v1/jwks', '/readyz', '/statusz', '/version'],
      ...under('/healthz', [...checks, serving, ...hooks]),
      ...under('/livez', [...checks, serving, ...hooks]),
      ...under('/readyz', [...checks, 'etcd-readiness', 'informer-sync', 'shutdown', ...hooks]),
    ].sort(),
  );
});

it.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ['serves the files of the log', ['--enable-logs-handler'], ['/logs'], []],
  [
    'limits the requests in flight without priority and fairness',
    ['--enable-priority-and-fairness=false'],
    ['/livez/poststarthook/max-in-flight-filter'],
    ['/livez/poststarthook/priority-and-fairness-config-consumer', '/livez/poststarthook/priority-and-fairness-filter'],
  ],
  [
    'creates no flow schemas that are not served',
    ['--runtime-config=flowcontrol.apiserver.k8s.io/v1/flowschemas=false'],
    [],
    ['/livez/poststarthook/priority-and-fairness-config-producer'],
  ],
  [
    'creates no priority levels that are not served',
    ['--runtime-config=flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations=false'],
    [],
    ['/livez/poststarthook/priority-and-fairness-config-producer'],
  ],
  [
    'publishes no keys that nobody can reach',
    ['--service-account-issuer=plain', '--api-audiences=plain'],
    [],
    ['/.well-known/openid-configuration', '/openid/v1/jwks'],
  ],
  ['runs controllers', ['--controllers=namespace'], ['/livez/poststarthook/start-controllers'], []],
])('%s', async (_, flags, more, fewer) => {
  const [usual, changed] = [await servedPaths(), await servedPaths(...flags)];
  const withoutRepeated = (paths: readonly string[]) => paths.filter((path) => !/^\/(healthz|readyz)\//.test(path));
  expect(withoutRepeated(changed).filter((path) => !usual.includes(path))).toEqual(more);
  expect(withoutRepeated(usual).filter((path) => !changed.includes(path))).toEqual(fewer);
});
