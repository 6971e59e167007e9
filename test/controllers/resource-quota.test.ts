import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ControllerServer, startControllerServer } from './controller-server.ts';

const poll = { interval: 20 };
const path = '/api/v1/namespaces/limited';
const quotas = `${path}/resourcequotas`;
let server: ControllerServer;

beforeAll(async () => {
  server = await startControllerServer();
  await server.create('/api/v1/namespaces', { metadata: { name: 'limited' } });
});
afterAll(() => server[Symbol.asyncDispose]());

const pod = (name: string, cpu: string, spec: object = {}) => {
  const containers = [{ name: 'c', image: 'x', resources: { requests: { cpu, memory: '1Gi' } } }];
  return server.create(`${path}/pods`, { metadata: { name }, spec: { containers, ...spec } });
};
const used = async (quota: string) => Object((await server.get(`${quotas}/${quota}`))?.['status']).used;

// Upstream: test/e2e/apimachinery/resource_quota.go
it('counts what exists, and what is freed', async () => {
  await expect.poll(() => server.get(`${path}/serviceaccounts/default`), poll).toBeDefined();
  await expect.poll(() => server.get(`${path}/configmaps/kube-root-ca.crt`), poll).toBeDefined();
  await pod('before', '250m');
  const hard = { pods: '3', 'requests.cpu': '1', 'requests.memory': '10Gi', 'count/configmaps': '5', services: '2' };
  await server.create(quotas, { metadata: { name: 'all' }, spec: { hard } });
  const zero = { 'count/configmaps': '1', services: '0' };
  await expect
    .poll(() => used('all'), poll)
    .toEqual({ ...zero, pods: '1', 'requests.cpu': '250m', 'requests.memory': '1Gi' });
  expect(Object((await server.get(`${quotas}/all`))?.['status']).hard).toEqual(hard);

  await pod('second', '500m');
  await expect(pod('third', '500m')).rejects.toThrow(
    'exceeded quota: all, requested: requests.cpu=500m, used: requests.cpu=750m',
  );
  const service = { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } };
  await server.create(`${path}/services`, service);
  await server.delete(`${path}/pods/before`);
  await server.delete(`${path}/services/s`);
  await expect
    .poll(() => used('all'), poll)
    .toEqual({ ...zero, pods: '1', 'requests.cpu': '500m', 'requests.memory': '1Gi' });
  await pod('third', '500m');
  await server.patch(`${path}/pods/third/status`, { status: { phase: 'Succeeded' } });
  await expect
    .poll(() => used('all'), poll)
    .toEqual({ ...zero, pods: '1', 'requests.cpu': '500m', 'requests.memory': '1Gi' });
});

it('counts in the scopes of a quota, and anew when its limits change', async () => {
  const scoped = { hard: { pods: '5' }, scopes: ['Terminating'] };
  await server.create(quotas, { metadata: { name: 'scoped' }, spec: scoped });
  await expect.poll(() => used('scoped'), poll).toEqual({ pods: '0' });
  await pod('ending', '10m', { activeDeadlineSeconds: 3600 });
  await expect.poll(() => used('scoped'), poll).toEqual({ pods: '1' });
  await server.patch(`${quotas}/scoped`, { spec: { hard: { pods: '5', 'requests.cpu': '1' } } });
  await expect.poll(() => used('scoped'), poll).toEqual({ pods: '1', 'requests.cpu': '10m' });
  await server.delete(`${path}/pods/ending`);
  await expect.poll(() => used('scoped'), poll).toEqual({ pods: '0', 'requests.cpu': '0' });
  await server.delete(`${quotas}/scoped`);
});

it('counts objects of a custom kind that comes later', async () => {
  await server.create(quotas, { metadata: { name: 'custom' }, spec: { hard: { 'count/gizmos.example.com': '2' } } });
  const names = { plural: 'gizmos', kind: 'Gizmo' };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions };
  await server.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'gizmos.example.com' },
    spec,
  });
  await expect.poll(() => used('custom'), poll).toEqual({ 'count/gizmos.example.com': '0' });
  const gizmos = '/apis/example.com/v1/namespaces/limited/gizmos';
  await server.create(gizmos, { apiVersion: 'example.com/v1', kind: 'Gizmo', metadata: { name: 'g' } });
  await expect.poll(() => used('custom'), poll).toEqual({ 'count/gizmos.example.com': '1' });
  await server.delete(`${gizmos}/g`);
  await expect.poll(() => used('custom'), poll).toEqual({ 'count/gizmos.example.com': '0' });
});

it('counts devices as extended resources, for pods and for claims', async () => {
  const classes = '/apis/resource.k8s.io/v1/deviceclasses';
  const claims = '/apis/resource.k8s.io/v1/namespaces/devices/resourceclaims';
  const core = '/api/v1/namespaces/devices';
  const quota = `${core}/resourcequotas/devices`;
  const usedDevices = async () => Object((await server.get(quota))?.['status']).used;
  await server.create('/api/v1/namespaces', { metadata: { name: 'devices' } });
  await expect.poll(() => server.get(`${core}/serviceaccounts/default`), poll).toBeDefined();
  const hard = { 'requests.example.com/gpu': '3' };
  await server.create(`${core}/resourcequotas`, { metadata: { name: 'devices' }, spec: { hard } });
  await expect.poll(usedDevices, poll).toEqual({ 'requests.example.com/gpu': '0' });
  const kind = (name: string) => ({ apiVersion: 'resource.k8s.io/v1', kind: name });
  await server.create(classes, {
    ...kind('DeviceClass'),
    ...{ metadata: { name: 'gpu' }, spec: { extendedResourceName: 'example.com/gpu' } },
  });
  const claim = (name: string, count: number) =>
    server.create(claims, {
      ...{ ...kind('ResourceClaim'), metadata: { name } },
      spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', count } }] } },
    });
  const requests = { 'example.com/gpu': '1' };
  await server.create(`${core}/pods`, {
    metadata: { name: 'device' },
    spec: { containers: [{ name: 'c', image: 'x', resources: { requests, limits: requests } }] },
  });
  await expect(claim('much', 3)).rejects.toThrow(
    'exceeded quota: devices, requested: requests.example.com/gpu=3, used: requests.example.com/gpu=1',
  );
  await claim('some', 2);
  await expect.poll(usedDevices, poll).toEqual({ 'requests.example.com/gpu': '3' });
  await server.delete(`${claims}/some`);
  await expect.poll(usedDevices, poll).toEqual({ 'requests.example.com/gpu': '1' });
  await server.delete(`${core}/pods/device`);
  await expect.poll(usedDevices, poll).toEqual({ 'requests.example.com/gpu': '0' });
});
