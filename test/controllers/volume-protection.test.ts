import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ControllerServer, startControllerServer } from './controller-server.ts';

const poll = { interval: 20 };
let server: ControllerServer;

beforeAll(async () => {
  server = await startControllerServer('*');
});
afterAll(() => server[Symbol.asyncDispose]());

const gone = (path: string) => expect.poll(() => server.get(path), poll).toBe(undefined);
const finalizersOf = async (path: string) => (await server.get(path))?.metadata.finalizers;

const resources = { requests: { storage: '1Gi' } };
const claim = (name: string) => ({ metadata: { name }, spec: { accessModes: ['ReadWriteOnce'], resources } });
const claims = (namespace: string) => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;

// Upstream: test/e2e/storage/pvc_protection.go
it('keeps a deleted claim while a scheduled pod uses it', async () => {
  const pods = '/api/v1/namespaces/default/pods';
  await expect.poll(() => server.get('/api/v1/namespaces/default/serviceaccounts/default'), poll).toBeDefined();
  await server.create(claims('default'), claim('used'));
  await server.create(pods, {
    metadata: { name: 'user' },
    spec: {
      nodeName: 'somewhere',
      containers: [{ name: 'c', image: 'x' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'used' } }],
    },
  });
  await server.create(claims('default'), claim('free'));
  await server.delete(`${claims('default')}/used`);
  await server.delete(`${claims('default')}/free`);
  await gone(`${claims('default')}/free`);
  expect(await finalizersOf(`${claims('default')}/used`)).toEqual(['kubernetes.io/pvc-protection']);
  await server.delete(`${pods}/user?gracePeriodSeconds=0`);
  await gone(`${claims('default')}/used`);
});

it('gives a claim its finalizer again', async () => {
  await server.create(claims('default'), claim('bare'));
  await server.patch(`${claims('default')}/bare`, { metadata: { finalizers: null } });
  await expect.poll(() => finalizersOf(`${claims('default')}/bare`), poll).toEqual(['kubernetes.io/pvc-protection']);
});

it('lets a namespace with claims go', async () => {
  await server.create('/api/v1/namespaces', { metadata: { name: 'shop' } });
  await server.create(claims('shop'), claim('a'));
  await server.delete('/api/v1/namespaces/shop');
  await gone('/api/v1/namespaces/shop');
});

// Upstream: test/e2e/storage/pv_protection.go
it('keeps a deleted volume while it is bound', async () => {
  const volumes = '/api/v1/persistentvolumes';
  const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } };
  for (const name of ['bound', 'free']) await server.create(volumes, { metadata: { name }, spec });
  await server.patch(`${volumes}/bound/status`, { status: { phase: 'Bound' } });
  await server.delete(`${volumes}/bound`);
  await server.delete(`${volumes}/free`);
  await gone(`${volumes}/free`);
  expect(await finalizersOf(`${volumes}/bound`)).toEqual(['kubernetes.io/pv-protection']);
  await server.patch(`${volumes}/bound/status`, { status: { phase: 'Released' } });
  await gone(`${volumes}/bound`);
});

it('keeps a deleted class of volume attributes while a claim or a volume names it', async () => {
  const classes = '/apis/storage.k8s.io/v1/volumeattributesclasses';
  const volumes = '/api/v1/persistentvolumes';
  const names = ['claimed', 'current', 'target', 'of-volume'];
  for (const name of [...names, 'free']) {
    await server.create(classes, { metadata: { name }, driverName: 'example.com', parameters: { iops: '1' } });
  }
  const { spec } = claim('');
  const claimed = { metadata: { name: 'classy' }, spec: { ...spec, volumeAttributesClassName: 'claimed' } };
  await server.create(claims('default'), claimed);
  const modifyVolumeStatus = { targetVolumeAttributesClassName: 'target', status: 'InProgress' };
  const status = { currentVolumeAttributesClassName: 'current', modifyVolumeStatus };
  await server.patch(`${claims('default')}/classy/status`, { status });
  const source = { csi: { driver: 'example.com', volumeHandle: 'v' }, volumeAttributesClassName: 'of-volume' };
  await server.create(volumes, {
    metadata: { name: 'classy' },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, ...source },
  });
  for (const name of [...names, 'free']) await server.delete(`${classes}/${name}`);
  await gone(`${classes}/free`);
  const kept = await Promise.all(names.map((name) => finalizersOf(`${classes}/${name}`)));
  expect(kept).toEqual(names.map(() => ['kubernetes.io/vac-protection']));
  await server.patch(`${claims('default')}/classy/status`, { status: { currentVolumeAttributesClassName: null } });
  await gone(`${classes}/current`);
  await server.delete(`${volumes}/classy`);
  await gone(`${classes}/of-volume`);
  expect(await finalizersOf(`${classes}/claimed`)).toEqual(['kubernetes.io/vac-protection']);
  await server.delete(`${claims('default')}/classy`);
  for (const name of names) await gone(`${classes}/${name}`);
});
