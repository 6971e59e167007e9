import { customResourceDefinition, DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import type { Backends } from '../backends/aggregated-backends.ts';
import type { LiveServer } from '../live-servers.ts';

const version = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  ...more,
});

/** A definition with these versions. `named` is its kind if that is not the one of its plural. */
function definition(group: string, kind: string, versions: readonly object[], named = kind) {
  const base = customResourceDefinition(group, kind);
  return { ...base, spec: { ...base.spec, names: { ...base.spec.names, kind: named }, versions } };
}

const scale = { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } };

/** Definitions in each state that lasts: one has no names of its own, one is terminating, one serves no version. */
const MADE = [
  definition('chain.example.com', 'Widget', [
    version('v1', { storage: true, subresources: { status: {}, ...scale } }),
    version('v1beta1', { deprecated: true }),
    version('v1alpha1', { served: false }),
  ]),
  definition('chain.example.com', 'Gadget', [version('v2', { storage: true })]),
  definition('chain.example.com', 'Other', [version('v1', { storage: true })], 'Widget'),
  definition('nameless.example.com', 'Fish', [version('v1', { storage: true })]),
  definition('nameless.example.com', 'Pond', [version('v2', { storage: true })], 'Fish'),
  definition('unserved.example.com', 'Fish', [version('v1', { storage: true, served: false })]),
  definition('ending.example.com', 'Fish', [version('v1', { storage: true, subresources: { status: {} } })]),
] as const;

/** APIServices of servers that answer, that cannot be reached, that fail, and of none. */
const SERVICES = ['whole', 'closed', 'failing', 'none', 'nobody', 'missing'] as const;

/** Makes the objects of the comparison in a server, and waits until they have their lasting state. */
export async function makeChainFixtures(server: LiveServer, { ports, authority }: Backends): Promise<void> {
  await makeNamespace(server);
  for (const one of MADE) await server.make('POST', DEFINITIONS, one);
  for (const kind of SERVICES) {
    await makeService(server, kind, {
      service: { namespace: 'fish', name: kind, port: ports[kind] ?? 443 },
      caBundle: Buffer.from(authority).toString('base64'),
    });
  }
  await makeService(server, 'local', {});
  await waitFor(server, '/apis/chain.example.com/v1/namespaces/n/widgets');
  await waitFor(server, '/apis/chain.example.com/v2/gadgets');
  await waitFor(server, '/apis/g1.whole.example.com/v1/namespaces/n/fishes');
  const fishes = '/apis/ending.example.com/v1/namespaces/n/fishs';
  await waitFor(server, fishes);
  const named = (kind: string, of: string, more: object = {}) => ({
    apiVersion: of,
    kind,
    metadata: { name: 'a', ...more },
  });
  await server.make('POST', '/apis/chain.example.com/v1/namespaces/n/widgets', named('Widget', 'chain.example.com/v1'));
  await server.make('POST', '/apis/chain.example.com/v2/namespaces/n/gadgets', named('Gadget', 'chain.example.com/v2'));
  await server.make('POST', fishes, named('Fish', 'ending.example.com/v1', { finalizers: ['example.com/kept'] }));
  await server.make('DELETE', `${DEFINITIONS}/fishs.ending.example.com`);
  // Conditions, discovery and the answers of a definition that is terminating follow after a moment.
  await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
}

const SETTLING_MS = 8_000;
const PATIENCE_MS = 30_000;

async function makeNamespace(server: LiveServer): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } };
  await server.make('POST', '/api/v1/namespaces', object);
}

async function makeService(server: LiveServer, kind: string, spec: object): Promise<void> {
  const group = `g1.${kind}.example.com`;
  await server.make('POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1.${group}` },
    spec: { group, version: 'v1', groupPriorityMinimum: 1_000, versionPriority: 15, ...spec },
  });
}

async function waitFor(server: LiveServer, path: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const { status } = await server.send({ method: 'GET', path, headers: { authorization: 'Bearer admin' } });
    if (status === 200) return;
    if (performance.now() > end) throw new Error(`${path}: ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
