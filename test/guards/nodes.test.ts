import { beforeAll, describe, expect, it } from 'vitest';
import { assembledServer, type Response } from './assembled-server.ts';
import { binding, core, object, paths, pod } from './objects.ts';

const server = assembledServer('--enable-admission-plugins=NodeRestriction');
const n1 = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
const PODS = paths.in('default', 'pods');

/** Nodes have all rights that RBAC can give them: every refusal comes from NodeRestriction. */
beforeAll(async () => {
  const nodes = { kind: 'Group', name: 'system:nodes' } as const;
  await server.make(paths.clusterRoleBindings, binding('ClusterRoleBinding', 'nodes', 'cluster-admin', nodes));
  for (const name of ['n1', 'n2']) await server.make(paths.nodes, core('Node', name));
  await server.make(paths.in('default', 'serviceaccounts'), core('ServiceAccount', 'default'));
  for (const name of ['n1', 'n2']) await server.make(PODS, pod(`on-${name}`, { nodeName: name }));
  await server.until(200, () => server.ask('GET', `${paths.nodes}/n1`, undefined, n1));
});

const mirror = (name: string, nodeName: string) =>
  pod(name, { nodeName }, { annotations: { 'kubernetes.io/config.mirror': 'x' } });
const lease = (name: string) => object('coordination.k8s.io/v1', 'Lease', name, { spec: { holderIdentity: name } });
const LEASES = paths.inGroup('coordination.k8s.io', 'kube-node-lease', 'leases');

describe('a node', () => {
  it.each<[string, `${string} ${string}`, object, string]>([
    [
      'another node',
      `PATCH ${paths.nodes}/n2`,
      { metadata: { labels: { a: 'b' } } },
      'is not allowed to modify node "n2"',
    ],
    [
      'another node’s status',
      `PATCH ${paths.nodes}/n2/status`,
      { status: { phase: 'x' } },
      'is not allowed to modify node "n2"',
    ],
    [
      'its own reserved labels',
      `PATCH ${paths.nodes}/n1`,
      { metadata: { labels: { 'node-restriction.kubernetes.io/a': 'b' } } },
      'is not allowed to modify labels: node-restriction.kubernetes.io/a',
    ],
    ['its own taints', `PATCH ${paths.nodes}/n1`, { spec: { taints: [] } }, 'is not allowed to modify taints'],
    ['a pod of its own making', `POST ${PODS}`, pod('plain', { nodeName: 'n1' }), 'can only create mirror pods'],
    [
      'a mirror pod elsewhere',
      `POST ${PODS}`,
      mirror('elsewhere', 'n2'),
      'can only create pods with spec.nodeName set to itself',
    ],
    [
      'the status of a pod elsewhere',
      `PATCH ${PODS}/on-n2/status`,
      { status: { phase: 'Failed' } },
      'can only update pod status for pods with spec.nodeName set to itself',
    ],
    [
      'another node’s lease',
      `POST ${LEASES}`,
      lease('n2'),
      'can only access node lease with the same name as the requesting node',
    ],
  ])('does not write %s', async (_what, where, sent, fault) => {
    const [method = '', path = ''] = where.split(' ');
    const { code, body } = await server.ask(method, path, sent, n1);
    expect([code, body.message]).toEqual([403, expect.stringContaining(fault)]);
  });

  it('writes its own objects', async () => {
    const responses: readonly Response[] = [
      await server.ask('PATCH', `${paths.nodes}/n1`, { metadata: { labels: { a: 'b' } } }, n1),
      await server.ask('PATCH', `${PODS}/on-n1/status`, { status: { phase: 'Failed' } }, n1),
      await server.ask('POST', LEASES, lease('n1'), n1),
      await server.ask('DELETE', `${PODS}/on-n1?gracePeriodSeconds=0`, undefined, n1),
    ];
    expect(responses.map(({ code }) => code)).toEqual([200, 200, 201, 200]);
    expect((await server.ask('DELETE', `${PODS}/on-n2`, undefined, n1)).code).toBe(403);
  });
});
