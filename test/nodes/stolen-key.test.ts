import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AdminClient } from '../harness/admin-client.ts';
import { NodeCluster, podOn, small } from './node-cluster.ts';

/**
 * All that the key of a node may do with objects that do not belong to the node, by group and resource. Requests for
 * everything else that the server has are refused by the authorizer.
 */
const ALLOWED: Readonly<Record<string, string>> = {
  // NodeRestriction refuses what does not belong to the node; see below.
  '/nodes': 'create patch update',
  '/nodes/status': 'patch update',
  '/pods': 'create delete',
  '/pods/eviction': 'create',
  '/pods/status': 'patch update',
  'resource.k8s.io/resourceslices': 'create',
  'storage.k8s.io/csinodes': 'create',
  // The rules of all nodes.
  '/endpoints': 'get',
  '/events': 'create patch update',
  '/services': 'get list watch',
  'authentication.k8s.io/tokenreviews': 'create',
  'authorization.k8s.io/localsubjectaccessreviews': 'create',
  'authorization.k8s.io/subjectaccessreviews': 'create',
  'certificates.k8s.io/certificatesigningrequests': 'create get list watch',
  'events.k8s.io/events': 'create patch update',
  'node.k8s.io/runtimeclasses': 'get list watch',
  'storage.k8s.io/csidrivers': 'get list watch',
  // The rules of all users.
  'authentication.k8s.io/selfsubjectreviews': 'create',
  'authorization.k8s.io/selfsubjectaccessreviews': 'create',
  'authorization.k8s.io/selfsubjectrulesreviews': 'create',
};

const METHODS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};
const ON_COLLECTIONS: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

interface Resource {
  readonly group: string;
  readonly version: string;
  readonly name: string;
  readonly namespaced: boolean;
}

let cluster: NodeCluster;
let thief: AdminClient;

/** The resources of every version, with their subresources. */
async function resources(): Promise<readonly Resource[]> {
  const { groups } = await cluster.admin.json('GET', '/apis');
  const versions = (groups as { name: string; versions: { version: string }[] }[]).flatMap(({ name, versions }) =>
    versions.map(({ version }) => ({ group: name, version })),
  );
  const lists = [{ group: '', version: 'v1' }, ...versions].map(async ({ group, version }) => {
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const found = (await cluster.admin.json('GET', path))['resources'];
    return (found as { name: string; namespaced: boolean }[]).map((one) => ({ ...one, group, version }));
  });
  return (await Promise.all(lists)).flat();
}

function pathOf({ group, version, name, namespaced }: Resource, verb: string, namespace: string): string {
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const [plural = '', ...subresource] = name.split('/');
  const place = namespaced ? `${base}/namespaces/${namespace}/${plural}` : `${base}/${plural}`;
  if (subresource.length > 0) return [place, 'n2', ...subresource].join('/');
  if (verb === 'watch') return `${place}?watch=true&timeoutSeconds=1`;
  return ON_COLLECTIONS.has(verb) || verb === 'create' ? place : `${place}/n2`;
}

/** True if the authorizer let the request pass, whatever came of it. */
async function passes(resource: Resource, verb: string, namespace: string): Promise<boolean> {
  const method = METHODS[verb] ?? '';
  const sent = method === 'GET' ? undefined : {};
  const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
  const { status, body } = await thief.request(method, pathOf(resource, verb, namespace), sent, headers);
  return !(status === 403 && body.includes(`User \\"system:node:n1\\" cannot ${verb} resource`));
}

describe('a stolen key of a kubelet', () => {
  beforeAll(async () => {
    cluster = await NodeCluster.start();
    thief = cluster.nodeClient('n1');
    await cluster.create(
      ['/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n2' } }],
      small('ServiceAccount', 'serviceaccounts', 'default'),
      small('Secret', 'secrets', 'n2'),
      podOn('n2', 'n2', { imagePullSecrets: [{ name: 'n2' }] }),
    );
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  it('opens nothing that is not listed here', { timeout: 120_000 }, async () => {
    const found = new Map<string, Set<string>>();
    const all = await resources();
    for (const resource of all) {
      const key = `${resource.group}/${resource.name}`;
      const verbs = Object.keys(METHODS).filter((verb) => !(resource.name.includes('/') && ON_COLLECTIONS.has(verb)));
      for (const verb of verbs) {
        if (!(await passes(resource, verb, 'default'))) continue;
        found.set(key, (found.get(key) ?? new Set()).add(verb));
      }
    }
    const passed = Object.fromEntries([...found].map(([key, verbs]) => [key, [...verbs].sort().join(' ')]));
    expect([passed, all.length > 100]).toEqual([ALLOWED, true]);
  });

  it('opens nothing of other namespaces, besides leases of nodes', async () => {
    const leases = { group: 'coordination.k8s.io', version: 'v1', name: 'leases', namespaced: true };
    const verbs = async (resource: Resource, namespace: string) => {
      const passed: string[] = [];
      for (const verb of Object.keys(METHODS)) if (await passes(resource, verb, namespace)) passed.push(verb);
      return passed;
    };
    expect([
      await verbs(leases, 'kube-node-lease'),
      await verbs(leases, 'kube-system'),
      await verbs({ group: '', version: 'v1', name: 'secrets', namespaced: true }, 'kube-system'),
    ]).toEqual([['create'], [], []]);
  });

  it.each<[method: string, path: string, body: object, message: string]>([
    ['PATCH', '/api/v1/nodes/n2', {}, 'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"'],
    ['PATCH', '/api/v1/nodes/n2/status', {}, 'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"'],
    [
      'DELETE',
      '/api/v1/namespaces/default/pods/n2',
      {},
      'pods "n2" is forbidden: node "n1" can only delete pods with spec.nodeName set to itself',
    ],
    [
      'PATCH',
      '/api/v1/namespaces/default/pods/n2/status',
      {},
      'pods "n2" is forbidden: node "n1" can only update pod status for pods with spec.nodeName set to itself',
    ],
    [
      'POST',
      '/api/v1/namespaces/default/pods/n2/eviction',
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'n2' } },
      'pods "n2" is forbidden: node n1 can only evict pods with spec.nodeName set to itself',
    ],
    [
      'POST',
      '/api/v1/namespaces/default/pods',
      podOn('n1', 'thief', { imagePullSecrets: [{ name: 'n2' }] })[1],
      'pods "thief" is forbidden: pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
    ],
    [
      'POST',
      '/apis/storage.k8s.io/v1/csinodes',
      { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: 'n2' }, spec: { drivers: [] } },
      'csinodes.storage.k8s.io "n2" is forbidden: can only access CSINode with the same name as the requesting node',
    ],
    [
      'POST',
      '/apis/resource.k8s.io/v1/resourceslices',
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceSlice',
        metadata: { name: 's' },
        spec: { driver: 'd', pool: { name: 'p', resourceSliceCount: 1, generation: 1 }, nodeName: 'n2', devices: [] },
      },
      'resourceslices.resource.k8s.io "s" is forbidden: can only create ResourceSlice with the same NodeName as the requesting node',
    ],
  ])('%s %s is refused', async (method, path, body, message) => {
    const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    const response = await thief.request(method, path, body, headers);
    expect([response.status, JSON.parse(response.body).message]).toEqual([403, message]);
  });
});
