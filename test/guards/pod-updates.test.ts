import { beforeAll, describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { binding, core, paths, pod, role } from './objects.ts';

const server = assembledServer('--enable-admission-plugins=OwnerReferencesPermissionEnforcement');
const PODS = paths.in('default', 'pods');
const CONFIG_MAPS = paths.in('default', 'configmaps');
const jane = { name: 'jane' };

const sized = (cpu: string) => ({ requests: { cpu } });
const onNode = (name: string, nodeName: string, spec: object = {}) =>
  pod(name, { nodeName, containers: [{ name: 'c', image: 'i', resources: sized('100m') }], ...spec });

/** Of the nodes, one is small and declares nothing, and one runs another system. */
beforeAll(async () => {
  await server.make(paths.in('default', 'serviceaccounts'), core('ServiceAccount', 'default'));
  for (const [name, os] of [
    ['small', 'linux'],
    ['other', 'windows'],
  ]) {
    const labels = { 'kubernetes.io/os': os };
    await server.make(paths.nodes, { ...core('Node', name ?? ''), metadata: { name, labels } });
    const status = { allocatable: { cpu: '1', memory: '1Gi' }, capacity: { cpu: '1', memory: '1Gi' } };
    await server.make(`${paths.nodes}/${name}/status`, { status }, 'PATCH');
  }
  await server.make(PODS, onNode('a', 'small'));
  await server.make(PODS, onNode('b', 'other'));
  await server.make(PODS, onNode('c', 'small', { resources: sized('200m') }));
});

describe('a resize', () => {
  const resize = (name: string, spec: object) => server.ask('PATCH', `${PODS}/${name}/resize`, { spec });
  const containers = (cpu: string) => ({ containers: [{ name: 'c', resources: sized(cpu) }] });

  it.each([
    [
      'a',
      containers('2'),
      "node didn't have enough allocatable resources: cpu, requested: 2000, allocatable: 1000",
      [{ reason: 'NodeCapacity' }],
    ],
    [
      'b',
      containers('200m'),
      'pod resize is only supported on linux nodes, node "other" is "windows"',
      [{ reason: 'UnsupportedPlatform' }],
    ],
    [
      'c',
      { resources: sized('300m') },
      'pod update requires features InPlacePodLevelResourcesVerticalScaling which are not available on node "small"',
      undefined,
    ],
  ])('of pod %s to %j is refused', async (name, spec, fault, causes) => {
    const refusal = { message: `pods "${name}" is forbidden: ${fault}`, causes };
    await server.until(403, () => resize(name, spec));
    const { body } = await resize(name, spec);
    expect({ message: body.message, causes: body.details.causes }).toEqual(refusal);
  });

  it('to a size that the node has is admitted', async () => {
    expect((await resize('a', containers('500m'))).code).toBe(200);
  });
});

describe('an owner that blocks its deletion', () => {
  const owner = (kind: string) => ({ apiVersion: 'v1', kind, name: 'a', uid: 'u', blockOwnerDeletion: true });
  const owned = (name: string, kind: string) => ({
    ...core('ConfigMap', name),
    metadata: { name, ownerReferences: [owner(kind)] },
  });
  const create = (name: string, kind: string) => server.ask('POST', CONFIG_MAPS, owned(name, kind), jane);

  beforeAll(async () => {
    const subject = { kind: 'User', name: 'jane' } as const;
    const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch'] };
    await server.make(paths.clusterRoles, role('ClusterRole', 'configs', rule));
    await server.make(paths.clusterRoleBindings, binding('ClusterRoleBinding', 'configs', 'configs', subject));
    await server.until(201, () => server.ask('POST', CONFIG_MAPS, core('ConfigMap', 'free'), jane));
  });

  it('must be one whose finalizers the user may set', async () => {
    const { code, body } = await create('a', 'Pod');
    expect([code, body.message]).toEqual([
      403,
      `configmaps "a" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>`,
    ]);
  });

  it('must be of a kind that is served', async () => {
    expect((await create('b', 'Unknown')).body.message).toBe(
      'configmaps "b" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1 Kind Unknown: no matches for kind "Unknown" in version "v1"',
    );
  });

  it('needs the permission to delete the object on an update', async () => {
    const patch = { metadata: { ownerReferences: [owner('Pod')] } };
    const { body } = await server.ask('PATCH', `${CONFIG_MAPS}/free`, patch, jane);
    expect(body.message).toBe(
      `configmaps "free" is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>`,
    );
  });
});
