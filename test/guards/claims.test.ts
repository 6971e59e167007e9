import { beforeAll, describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { binding, core, object, paths, type Rule, role } from './objects.ts';

const server = assembledServer();
const CLAIMS = paths.in('default', 'persistentvolumeclaims');
const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';
const ofClass = (name: string, storageClassName: string) => {
  const spec = { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  return core('PersistentVolumeClaim', name, { spec });
};

describe('a claim for a volume', () => {
  beforeAll(async () => {
    for (const [name, allowVolumeExpansion] of [
      ['fixed', false],
      ['growing', true],
    ] as const) {
      const storageClass = { provisioner: 'p', allowVolumeExpansion };
      await server.make(CLASSES, object('storage.k8s.io/v1', 'StorageClass', name, storageClass));
    }
  });

  it.each([
    ['fixed', 403],
    ['growing', 200],
  ])('of the class %s grows: %d', async (name, expected) => {
    const made = await server.make(CLAIMS, ofClass(name, name));
    expect(made.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
    await server.make(`${CLAIMS}/${name}/status`, { status: { phase: 'Bound' } }, 'PATCH');
    const larger = { spec: { resources: { requests: { storage: '2Gi' } } } };
    expect((await server.ask('PATCH', `${CLAIMS}/${name}`, larger)).code).toBe(expected);
  });
});

describe('a claim for devices', () => {
  const GROUP = 'resource.k8s.io';
  const claimsIn = (namespace: string) => paths.inGroup(GROUP, namespace, 'resourceclaims');
  const templatesIn = (namespace: string) => paths.inGroup(GROUP, namespace, 'resourceclaimtemplates');
  const spec = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c', adminAccess: true } }] } };
  const claim = object(`${GROUP}/v1`, 'ResourceClaim', 'admin', { spec });
  const template = object(`${GROUP}/v1`, 'ResourceClaimTemplate', 'admin', { spec: { spec } });

  beforeAll(async () => {
    const labels = { 'resource.kubernetes.io/admin-access': 'true' };
    await server.make(paths.namespaces, { ...core('Namespace', 'admins'), metadata: { name: 'admins', labels } });
  });

  it.each<[string, (namespace: string) => string, object]>([
    ['a claim', claimsIn, claim],
    ['a template', templatesIn, template],
  ])('has admin access only where the namespace says so: %s', async (_kind, path, sent) => {
    const { code, body } = await server.ask('POST', path('default'), sent);
    expect([code, body.message]).toEqual([422, expect.stringContaining('resource.kubernetes.io/admin-access')]);
    expect((await server.ask('POST', path('admins'), sent)).code).toBe(201);
  });

  it('is allocated only by users with the right to bind it', async () => {
    const plain = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } };
    await server.make(claimsIn('default'), object(`${GROUP}/v1`, 'ResourceClaim', 'plain', { spec: plain }));
    const status: Rule = { apiGroups: [GROUP], resources: ['resourceclaims/status'], verbs: ['patch', 'update'] };
    const subject = { kind: 'User', name: 'jane' } as const;
    await server.make(paths.clusterRoles, role('ClusterRole', 'status', status));
    await server.make(paths.clusterRoleBindings, binding('ClusterRoleBinding', 'status', 'status', subject));
    const allocation = { devices: { results: [{ request: 'r', driver: 'd.example.com', pool: 'p', device: 'x' }] } };
    const allocate = () =>
      server.ask('PATCH', `${claimsIn('default')}/plain/status`, { status: { allocation } }, { name: 'jane' });
    await server.until(422, allocate);
    expect((await allocate()).body.message).toContain('resourceclaims/binding');
    const bind: Rule = { apiGroups: [GROUP], resources: ['resourceclaims/binding'], verbs: ['patch', 'update'] };
    await server.make(paths.clusterRoles, role('ClusterRole', 'bind', bind));
    await server.make(paths.clusterRoleBindings, binding('ClusterRoleBinding', 'bind', 'bind', subject));
    await server.until(200, allocate);
  });
});
