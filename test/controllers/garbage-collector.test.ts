import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnyObject, type ControllerServer, startControllerServer } from './controller-server.ts';

const poll = { interval: 20 };
const NAMESPACE = '/api/v1/namespaces/default';
const CONFIG_MAPS = `${NAMESPACE}/configmaps`;

interface Reference {
  readonly blockOwnerDeletion?: boolean;
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
}

/** A reference to an owner. */
const ownedBy = ({ metadata: { name, uid } }: AnyObject, changes: Reference = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  ...changes,
});

// Upstream: test/e2e/apimachinery/garbage_collector.go and test/integration/garbagecollector
describe('garbage-collector-controller', () => {
  let server: ControllerServer;

  beforeAll(async () => {
    server = await startControllerServer('*', ['--disable-admission-plugins=ServiceAccount']);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const configMap = (name: string, owners: readonly object[] = [], metadata: object = {}) =>
    server.create(CONFIG_MAPS, { metadata: { name, ownerReferences: owners, ...metadata } });
  const gone = (...names: readonly string[]) =>
    Promise.all(names.map((name) => expect.poll(() => server.get(`${CONFIG_MAPS}/${name}`), poll).toBe(undefined)));
  const ownersOf = async (name: string) =>
    ((await server.get(`${CONFIG_MAPS}/${name}`))?.metadata.ownerReferences ?? []).map((owner) => owner.name);

  /** The messages of events about invalid namespaces of owners. */
  const messages = async (namespace: string) => {
    const events = await server.list(`/api/v1/namespaces/${namespace}/events`);
    return events.filter(({ reason }) => reason === 'OwnerRefInvalidNamespace').map(({ message }) => message);
  };

  it('deletes the dependents of a deleted owner in the background, level by level', async () => {
    const top = await configMap('bg-top');
    const middle = await configMap('bg-middle', [ownedBy(top)]);
    await configMap('bg-bottom', [ownedBy(middle)]);
    await server.delete(`${CONFIG_MAPS}/bg-top`, 'Background');
    await gone('bg-top', 'bg-middle', 'bg-bottom');
  });

  it('deletes replica sets and pods of a deployment', async () => {
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    const apps = '/apis/apps/v1/namespaces/default';
    const deployment = await server.create(`${apps}/deployments`, { metadata: { name: 'web' }, spec });
    const byDeployment = ownedBy(deployment, { apiVersion: 'apps/v1', kind: 'Deployment', blockOwnerDeletion: true });
    const set = await server.create(`${apps}/replicasets`, {
      metadata: { name: 'web', ownerReferences: [byDeployment] },
      spec,
    });
    const bySet = ownedBy(set, { apiVersion: 'apps/v1', kind: 'ReplicaSet', blockOwnerDeletion: true });
    await server.create(`${NAMESPACE}/pods`, {
      metadata: { name: 'web', ownerReferences: [bySet] },
      spec: template.spec,
    });
    await server.delete(`${apps}/deployments/web`, 'Foreground');
    await expect.poll(() => server.get(`${apps}/deployments/web`), poll).toBe(undefined);
    expect([await server.get(`${apps}/replicasets/web`), await server.get(`${NAMESPACE}/pods/web`)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('orphans dependents', async () => {
    const owner = await configMap('orphaning');
    const other = await configMap('other-owner');
    await configMap('orphan', [ownedBy(owner)]);
    await configMap('half-orphan', [ownedBy(owner), ownedBy(other)]);
    await server.delete(`${CONFIG_MAPS}/orphaning`, 'Orphan');
    await gone('orphaning');
    expect([await ownersOf('orphan'), await ownersOf('half-orphan')]).toEqual([[], ['other-owner']]);
  });

  it('keeps an owner that is deleted in the foreground until its blocking dependents are gone', async () => {
    const owner = await configMap('fg-owner');
    await configMap('fg-blocking', [ownedBy(owner, { blockOwnerDeletion: true })], {
      finalizers: ['example.com/wait'],
    });
    await configMap('fg-free', [ownedBy(owner)]);
    await server.delete(`${CONFIG_MAPS}/fg-owner`, 'Foreground');
    await gone('fg-free');
    await expect
      .poll(async () => (await server.get(`${CONFIG_MAPS}/fg-blocking`))?.metadata.deletionTimestamp, poll)
      .toBeDefined();
    const waiting = await server.get(`${CONFIG_MAPS}/fg-owner`);
    expect(waiting?.metadata.finalizers).toEqual(['foregroundDeletion']);
    await server.patch(`${CONFIG_MAPS}/fg-blocking`, { metadata: { finalizers: null } });
    await gone('fg-blocking', 'fg-owner');
  });

  it('lets an owner go when its dependent no longer blocks it', async () => {
    const owner = await configMap('un-owner');
    await configMap('un-dependent', [ownedBy(owner, { blockOwnerDeletion: true })], {
      finalizers: ['example.com/wait'],
    });
    await server.delete(`${CONFIG_MAPS}/un-owner`, 'Foreground');
    await expect
      .poll(async () => (await server.get(`${CONFIG_MAPS}/un-dependent`))?.metadata.deletionTimestamp, poll)
      .toBeDefined();
    await server.patch(`${CONFIG_MAPS}/un-dependent`, { metadata: { ownerReferences: [ownedBy(owner)] } });
    await gone('un-owner');
    await server.patch(`${CONFIG_MAPS}/un-dependent`, { metadata: { finalizers: null } });
    await gone('un-dependent');
  });

  it('keeps dependents that have another valid owner, without the deleted one', async () => {
    const [first, second] = [await configMap('two-first'), await configMap('two-second')];
    const both = [ownedBy(first, { blockOwnerDeletion: true }), ownedBy(second)];
    await configMap('two-dependent', both);
    await server.delete(`${CONFIG_MAPS}/two-first`, 'Foreground');
    await gone('two-first');
    await expect.poll(() => ownersOf('two-dependent'), poll).toEqual(['two-second']);
    await server.delete(`${CONFIG_MAPS}/two-second`);
    await gone('two-dependent');
  });

  it('is not blocked by a circle of dependents', async () => {
    const pods = ['circle-1', 'circle-2', 'circle-3'];
    const created = [];
    for (const name of pods) created.push(await configMap(name));
    for (const [i, name] of pods.entries()) {
      const owner = created[(i + 2) % 3];
      const ownerReferences = owner === undefined ? [] : [ownedBy(owner, { blockOwnerDeletion: true })];
      await server.patch(`${CONFIG_MAPS}/${name}`, { metadata: { ownerReferences } });
    }
    await server.delete(`${CONFIG_MAPS}/circle-1`, 'Foreground');
    await gone(...pods);
  });

  it('deletes dependents whose owner never existed, or has another UID', async () => {
    const owner = await configMap('real');
    await configMap('absent-owner', [ownedBy({ metadata: { ...owner.metadata, name: 'nobody', uid: 'no-such-uid' } })]);
    await configMap(
      'wrong-uid',
      [ownedBy(owner, { name: 'real' })].map((one) => ({ ...one, uid: 'another-uid' })),
    );
    await gone('absent-owner', 'wrong-uid');
    expect(await server.get(`${CONFIG_MAPS}/real`)).toBeDefined();
  });

  it('deletes dependents in another namespace than their owner, and reports them', async () => {
    await server.create('/api/v1/namespaces', { metadata: { name: 'elsewhere' } });
    const owner = await configMap('cross-owner');
    const there = '/api/v1/namespaces/elsewhere/configmaps';
    await server.create(there, { metadata: { name: 'cross-bad', ownerReferences: [ownedBy(owner)] } });
    await expect.poll(() => server.get(`${there}/cross-bad`), poll).toBe(undefined);
    const { uid } = owner.metadata;
    const text = `[v1/ConfigMap, namespace: elsewhere, name: cross-owner, uid: ${uid}]`;
    const message = `ownerRef ${text} does not exist in namespace "elsewhere"`;
    await expect.poll(() => messages('elsewhere'), poll).toEqual([message]);
    expect(await server.get(`${CONFIG_MAPS}/cross-owner`)).toBeDefined();
  });

  it('keeps a cluster-scoped dependent of a namespaced owner', async () => {
    const owner = await configMap('namespaced-owner');
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    await server.create(roles, { metadata: { name: 'odd', ownerReferences: [ownedBy(owner)] }, rules: [] });
    await server.delete(`${CONFIG_MAPS}/namespaced-owner`);
    await configMap('sentinel', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: 'none' }]);
    await gone('namespaced-owner', 'sentinel');
    expect(await server.get(`${roles}/odd`)).toBeDefined();
    const text = `[v1/ConfigMap, namespace: , name: namespaced-owner, uid: ${owner.metadata.uid}]`;
    await expect.poll(() => messages('default'), poll).toEqual([`ownerRef ${text} does not exist in namespace ""`]);
  });

  it('follows custom kinds that come and go, and owners of any scope', async () => {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const names = { plural: 'gadgets', kind: 'Gadget' };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const definition = {
      metadata: { name: 'gadgets.example.com' },
      spec: { group: 'example.com', scope: 'Cluster', names, versions },
    };
    await server.create(definitions, definition);
    const gadgets = '/apis/example.com/v1/gadgets';
    const gadget = (name: string, ownerReferences: readonly object[] = []) =>
      server.create(gadgets, { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name, ownerReferences } });
    await expect.poll(() => server.get(gadgets), poll).toBeDefined();
    const owner = await gadget('owner');
    const reference = ownedBy(owner, { apiVersion: 'example.com/v1', kind: 'Gadget' });
    await configMap('of-gadget', [reference]);
    await gadget('dependent', [{ ...reference, blockOwnerDeletion: true }]);
    await server.delete(`${gadgets}/owner`, 'Foreground');
    await expect.poll(() => server.get(`${gadgets}/owner`), poll).toBe(undefined);
    await gone('of-gadget');
    await expect.poll(() => server.get(`${gadgets}/dependent`), poll).toBe(undefined);
    const second = await gadget('second');
    await gadget('orphan', [ownedBy(second, { apiVersion: 'example.com/v1', kind: 'Gadget' })]);
    await server.delete(`${gadgets}/second`, 'Orphan');
    await expect.poll(() => server.get(`${gadgets}/second`), poll).toBe(undefined);
    expect((await server.get(`${gadgets}/orphan`))?.metadata.ownerReferences).toBe(undefined);
    await server.delete(`${definitions}/gadgets.example.com`);
    await expect.poll(() => server.get(`${definitions}/gadgets.example.com`), poll).toBe(undefined);
    const later = await configMap('after');
    await configMap('after-dependent', [ownedBy(later)]);
    await server.delete(`${CONFIG_MAPS}/after`);
    await gone('after-dependent');
  });

  it('collects hundreds of dependents of one owner', async () => {
    const owner = await configMap('many');
    const names = Array.from({ length: 300 }, (_, i) => `many-${i}`);
    await Promise.all(names.map((name) => configMap(name, [ownedBy(owner)])));
    await server.delete(`${CONFIG_MAPS}/many`);
    await expect
      .poll(
        async () => (await server.list(CONFIG_MAPS)).filter(({ metadata }) => metadata.name.startsWith('many')),
        poll,
      )
      .toEqual([]);
  });
});

it('collects what became garbage while nothing ran', async () => {
  await using server = await startControllerServer('*');
  const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  const held = { holderIdentity: 'somewhere', leaseDurationSeconds: 3600, renewTime };
  await server.create(lease, { metadata: { name: 'kube-controller-manager' }, spec: held });
  const owner = await server.create(CONFIG_MAPS, { metadata: { name: 'owner' } });
  await server.create(CONFIG_MAPS, { metadata: { name: 'dependent', ownerReferences: [ownedBy(owner)] } });
  await server.create(CONFIG_MAPS, { metadata: { name: 'foreground' } });
  await server.delete(`${CONFIG_MAPS}/owner`);
  await server.delete(`${CONFIG_MAPS}/foreground`, 'Foreground');
  expect(await server.get(`${CONFIG_MAPS}/dependent`)).toBeDefined();
  await server.delete(`${lease}/kube-controller-manager`);
  await expect.poll(() => server.get(`${CONFIG_MAPS}/dependent`), poll).toBe(undefined);
  await expect.poll(() => server.get(`${CONFIG_MAPS}/foreground`), poll).toBe(undefined);
});
