import { expect, it } from 'vitest';
import { startControlPlane } from './start-control-plane.js';

const json = { 'content-type': 'application/json' };

it('deletes namespaces with their content, unless controllers are off', async () => {
  await using plane = await startControlPlane();
  await using bare = await startControlPlane({ controllers: [] });
  for (const { fetch } of [plane, bare]) {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } });
    await fetch('/api/v1/namespaces', { method: 'POST', body, headers: json });
    await fetch('/api/v1/namespaces/x', { method: 'DELETE' });
  }
  await expect.poll(async () => (await plane.fetch('/api/v1/namespaces/x')).status).toBe(404);
  expect((await bare.fetch('/api/v1/namespaces/x')).status).toBe(200);
});

/** Kinds that nothing in a new plane uses, with what an object needs. */
const unused = [
  ['ControllerRevision', 'apps/v1', 'controllerrevisions', { revision: 1, data: {} }],
  ['NetworkPolicy', 'networking.k8s.io/v1', 'networkpolicies', { spec: { podSelector: {} } }],
  ['PodDisruptionBudget', 'policy/v1', 'poddisruptionbudgets', { spec: { minAvailable: 1, selector: {} } }],
] as const;

it('orphans the first object of a kind like any other', async () => {
  await using plane = await startControlPlane();
  const send = async (method: string, path: string, body: object) => {
    const response = await plane.fetch(path, { method, body: JSON.stringify(body), headers: json });
    expect(response.ok).toBe(true);
    return (await response.json()) as { readonly metadata: { readonly uid: string } };
  };
  const maps = '/api/v1/namespaces/default/configmaps';
  const created = (name: string) =>
    send('POST', maps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, finalizers: ['orphan'] } });
  const gone = async (name: string) => {
    await send('DELETE', `${maps}/${name}`, { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Orphan' });
    await expect.poll(async () => (await plane.fetch(`${maps}/${name}`)).status).toBe(404);
  };
  // The garbage collector runs when this one is gone.
  await created('first');
  await gone('first');
  const { uid } = (await created('owner')).metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  // Nothing waits between the first objects of these kinds and the end of their owner.
  for (const [kind, apiVersion, resource, rest] of unused) {
    const metadata = { name: 'owned', ownerReferences };
    await send('POST', `/apis/${apiVersion}/namespaces/default/${resource}`, { apiVersion, kind, metadata, ...rest });
  }
  await gone('owner');
  for (const [, apiVersion, resource] of unused) {
    const { metadata } = (await (
      await plane.fetch(`/apis/${apiVersion}/namespaces/default/${resource}/owned`)
    ).json()) as { readonly metadata: object };
    expect(metadata).toMatchObject({ name: 'owned' });
    expect(metadata).not.toHaveProperty('ownerReferences');
  }
});

it('counts an object whose creation is under way while another is deleted', async () => {
  await using plane = await startControlPlane({ controllers: ['resourcequota-controller'] });
  const send = async (method: string, path: string, body?: object) => {
    const given = body === undefined ? {} : { body: JSON.stringify(body), headers: json };
    const response = await plane.fetch(`/api/v1/namespaces/default/${path}`, { method, ...given });
    expect(response.ok).toBe(true);
    return response.json();
  };
  const used = async () => Object(Object(await send('GET', 'resourcequotas/maps'))['status']).used;
  const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  const hard = { 'count/configmaps': '9' };
  await send('POST', 'resourcequotas', {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'maps' },
    spec: { hard },
  });
  await expect.poll(used).toEqual({ 'count/configmaps': '0' });
  await send('POST', 'configmaps', map('old'));
  plane.faults.add({ storage: { delay: '300ms', operation: 'write', key: '/registry/configmaps/default/new' } });
  const creation = send('POST', 'configmaps', map('new'));
  // Admission has charged it, but it is not stored yet.
  await expect.poll(used, { interval: 1 }).toEqual({ 'count/configmaps': '2' });
  await send('DELETE', 'configmaps/old');
  await expect.poll(used, { interval: 1 }).not.toEqual({ 'count/configmaps': '2' });
  await creation;
  // All quotas are counted every 30 seconds.
  await expect.poll(used, { timeout: 20_000 }).toEqual({ 'count/configmaps': '1' });
});
