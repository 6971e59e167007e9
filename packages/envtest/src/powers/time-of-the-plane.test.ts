import { get } from 'node:https';
import { expect, it, vi } from 'vitest';
import type { ControlPlane } from '../control-plane.js';
import { startControlPlane } from '../start/start-control-plane.js';

const NAMESPACE = '/api/v1/namespaces/default';
// Hours pass in steps of a few seconds, as the timers of a server do.
vi.setConfig({ testTimeout: 180_000 });

const START = new Date('2030-01-01T00:00:00Z');

async function send(plane: ControlPlane, method: string, path: string, body?: unknown): Promise<Response> {
  const request = { method, headers: { 'content-type': 'application/json' } };
  return await plane.fetch(path, body === undefined ? request : { ...request, body: JSON.stringify(body) });
}

interface Sent {
  readonly metadata: { readonly creationTimestamp?: string };
  readonly status?: { readonly token?: string; readonly conditions?: readonly Record<string, string>[] };
}

async function body(response: Response): Promise<Sent> {
  return JSON.parse(await response.text());
}

it('events expire after an hour of the plane', async () => {
  await using plane = await startControlPlane({ clock: START });
  const involvedObject = { namespace: 'default', kind: 'Pod', name: 'p' };
  const created = await send(plane, 'POST', `${NAMESPACE}/events`, { metadata: { name: 'e' }, involvedObject });
  expect((await body(created)).metadata.creationTimestamp).toBe('2030-01-01T00:00:00Z');
  const statuses: number[] = [];
  for (const step of ['59m59s', '1s']) {
    await plane.clock.advance(step);
    statuses.push((await plane.fetch(`${NAMESPACE}/events/e`)).status);
  }
  expect(statuses).toEqual([200, 404]);
});

it('a fork and a restored plane keep the remaining time of an event', async () => {
  await using plane = await startControlPlane({ clock: START });
  const involvedObject = { namespace: 'default', kind: 'Pod', name: 'p' };
  await send(plane, 'POST', `${NAMESPACE}/events`, { metadata: { name: 'e' }, involvedObject });
  await plane.clock.advance('50m');
  const prepared = plane.snapshot();
  await using other = await plane.fork();
  await plane.clock.advance('20m');
  await plane.restore(prepared);
  const statuses: number[] = [];
  for (const step of ['9m59s', '1s']) {
    for (const each of [plane, other]) {
      await each.clock.advance(step);
      statuses.push((await each.fetch(`${NAMESPACE}/events/e`)).status);
    }
  }
  expect(statuses).toEqual([200, 200, 404, 404]);
});

it('tokens of service accounts expire by the time of the plane', async () => {
  await using plane = await startControlPlane({ clock: START });
  await send(plane, 'POST', `${NAMESPACE}/serviceaccounts`, { metadata: { name: 'robot' } });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } };
  const { status } = await body(await send(plane, 'POST', `${NAMESPACE}/serviceaccounts/robot/token`, request));
  const review = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: status?.token },
  };
  const isValid = async (): Promise<unknown> => {
    const reviewed = await send(plane, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
    return (await body(reviewed)).status;
  };
  expect(await isValid()).toMatchObject({ authenticated: true });
  await plane.clock.advance('9m');
  expect(await isValid()).toMatchObject({ authenticated: true });
  await plane.clock.advance('3m');
  expect(await isValid()).toMatchObject({ error: expect.stringContaining('expired') });
});

it('creations and phases of volumes carry the time of the plane', async () => {
  await using plane = await startControlPlane({ clock: START });
  await plane.clock.advance('5m');
  const created = await send(plane, 'POST', '/api/v1/namespaces', { metadata: { name: 'later' } });
  expect((await body(created)).metadata.creationTimestamp).toBe('2030-01-01T00:05:00Z');
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v' },
    spec: {
      capacity: { storage: '1Gi' },
      persistentVolumeReclaimPolicy: 'Retain',
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/tmp/v' },
    },
  };
  const stored = await send(plane, 'POST', '/api/v1/persistentvolumes', volume);
  expect(await body(stored)).toMatchObject({ status: { lastPhaseTransitionTime: '2030-01-01T00:05:00Z' } });
});

it('conditions of pods carry the time of the plane', async () => {
  await using plane = await startControlPlane({ clock: START });
  await send(plane, 'POST', `${NAMESPACE}/serviceaccounts`, { metadata: { name: 'robot' } });
  const spec = { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] };
  expect((await send(plane, 'POST', `${NAMESPACE}/pods`, { metadata: { name: 'p' }, spec })).status).toBe(201);
  await plane.clock.advance('5m');
  const target = { kind: 'Node', name: 'n' };
  await send(plane, 'POST', `${NAMESPACE}/pods/p/binding`, { metadata: { name: 'p' }, target });
  const { status } = await body(await plane.fetch(`${NAMESPACE}/pods/p`));
  expect(status?.conditions).toMatchObject([{ type: 'PodScheduled', lastTransitionTime: '2030-01-01T00:05:00Z' }]);
});

it('the identity of the server stays valid, because its lease is renewed on the same clock', async () => {
  await using plane = await startControlPlane({ clock: START });
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  const renewals = async (): Promise<readonly string[]> =>
    [...(await (await plane.fetch(leases)).text()).matchAll(/"renewTime":"([^"]*)"/g)].map(([, time = '']) => time);
  await expect.poll(async () => (await renewals()).length).toBeGreaterThan(0);
  await plane.clock.advance('5m');
  const [renewed = ''] = await renewals();
  expect(plane.clock.now() - Date.parse(renewed)).toBeLessThan(30_000);
});

it('certificates are those of the machine, so that clients connect at any time of the plane', async () => {
  await using plane = await startControlPlane({ clock: START });
  await plane.clock.advance('10m');
  plane.clock.release();
  await using later = await startControlPlane({ clock: new Date('2045-06-01T00:00:00Z') });
  for (const each of [plane, later]) {
    const status = await new Promise((resolve, reject) => {
      const headers = { 'impersonate-user': 'alice' };
      const request = get(`${each.url}/version`, { ca: each.authority, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.on('error', reject);
    });
    // Connected, but as nobody.
    expect(status).toBe(403);
    const alice = each.user('alice', { groups: ['system:masters'], by: 'certificate' });
    expect((await alice.fetch('/api/v1/namespaces')).status).toBe(200);
  }
});
