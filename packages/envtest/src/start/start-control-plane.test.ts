import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import type { ControlPlaneOptions } from '../control-plane.js';
import { startControlPlane } from './start-control-plane.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
const post = { method: 'POST', body: configMap, headers: { 'content-type': 'application/json' } };

it('starts planes that share no object, and removes their files', async () => {
  await using first = await startControlPlane();
  await using second = await startControlPlane();
  expect((await first.fetch(configMaps, post)).status).toBe(201);
  expect([(await first.fetch(`${configMaps}/a`)).status, (await second.fetch(`${configMaps}/a`)).status]).toEqual([
    200, 404,
  ]);
  const file = first.kubeconfigFile();
  expect(first.kubeconfig).toContain(`server: ${first.url}\n`);
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([first.kubeconfig, 0o600]);
  await first.stop();
  expect(existsSync(dirname(file))).toBe(false);
  expect(() => first.kubeconfigFile()).toThrow('the control plane has ended');
  expect((await second.fetch('/readyz')).status).toBe(200);
});

it('serves each in-process request as the administrator, through the full chain', async () => {
  await using plane = await startControlPlane();
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const response = await plane.fetch(path, { ...post, body: JSON.stringify(review) });
  expect(await response.json()).toMatchObject({
    status: { userInfo: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] } },
  });
  expect(response.headers.get('audit-id')).toMatch(/^[-0-9a-f]{36}$/);
});

it('refuses unknown options by name', async () => {
  const options = { crd: 'config/crd', object: [] } as ControlPlaneOptions;
  await expect(startControlPlane(options)).rejects.toMatchObject({
    name: 'ControlPlaneError',
    message: expect.stringMatching(/^unknown options of startControlPlane: crd, object \(known: .*\bflags\b.*\)$/),
  });
});

it('disposes the given store when a flag is invalid', async () => {
  let isDisposed = false;
  const { createMemoryStore } = await import('@apiserver/registry-store/memory');
  const store = createMemoryStore();
  const dispose = store[Symbol.asyncDispose].bind(store);
  store[Symbol.asyncDispose] = () => {
    isDisposed = true;
    return dispose();
  };
  await expect(startControlPlane({ storage: store, flags: ['--nothing'] })).rejects.toThrow('unknown flag: --nothing');
  expect(isDisposed).toBe(true);
});
