import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { KubeObject } from '@apiserver/apimachinery';
import { ControlPlaneError } from '@apiserver/test-powers';
import { expect, it, vi } from 'vitest';
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
  const alice = first.user('alice');
  expect((await alice.fetch('/version')).status).toBe(200);
  const stopped = first.stop();
  for (const { fetch } of [first, alice]) {
    await expect(fetch('/version')).rejects.toThrow('the control plane has ended');
  }
  await stopped;
  expect(existsSync(dirname(file))).toBe(false);
  expect(() => first.kubeconfigFile()).toThrow('the control plane has ended');
  await expect(first.install([])).rejects.toThrow('the control plane has ended');
  expect((await second.fetch('/readyz')).status).toBe(200);
});

interface ClusterRole extends KubeObject {
  readonly rules?: readonly object[] | null;
}

it('shares nothing between planes that a client can see', async () => {
  await using first = await startControlPlane();
  await using second = await startControlPlane();
  const shown = async (path: string) => {
    const objects = [first, second].map(async (plane) => (await (await plane.fetch(path)).json()) as ClusterRole);
    return await Promise.all(objects);
  };
  const namespaces = await shown('/api/v1/namespaces/kube-system');
  const admin = () => shown('/apis/rbac.authorization.k8s.io/v1/clusterroles/admin');
  // A controller of each plane collects the rules.
  await expect.poll(async () => (await admin()).every(({ rules }) => rules?.[0] !== undefined)).toBe(true);
  const uids = [...namespaces, ...(await admin())].map(({ metadata }) => metadata.uid);
  expect(new Set(uids).size).toBe(4);
});

it('leaves no file when the last plane ends', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'planes-'));
  vi.stubEnv('TMPDIR', folder);
  try {
    const planes = await Promise.all([startControlPlane(), startControlPlane()]);
    for (const plane of planes) plane.kubeconfigFile();
    expect(readdirSync(folder).length).toBeGreaterThan(0);
    for (const plane of planes) await plane.stop();
    await expect(startControlPlane({ flags: ['--nothing'] })).rejects.toThrow('unknown flag');
    expect(readdirSync(folder)).toEqual([]);
    await using again = await startControlPlane();
    const root = again.user('root', { groups: ['system:masters'] });
    // 429 as long as the cache of nodes is filled.
    await expect.poll(async () => (await root.fetch('/api/v1/nodes')).status).toBe(200);
  } finally {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  }
});

it('refuses flags of what it arranges itself', async () => {
  await expect(startControlPlane({ flags: ['--v=2', '--cert-dir=/x'] })).rejects.toThrow(
    'flags: --cert-dir=/x: a control plane arranges this itself',
  );
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

it.each<[object, string]>([
  [{ flags: '--v=4' }, 'flags: must be a list of strings'],
  [{ controllers: '*' }, 'controllers: must be a list of strings'],
  [{ from: 'prepared.snapshot' }, 'from: must be a snapshot, from plane.snapshot() or readSnapshot()'],
  [{ storage: Promise.resolve() }, 'storage: must be an open KeyValueStore'],
  [{ webhookServer: 8443 }, 'webhookServer: must be a handler of requests, or an object with a url'],
  [{ logger: console }, 'logger: must be a Logger'],
  [{ configure: true }, 'configure: must be a function'],
])('refuses the option %j of a program without a compiler', async (options, message) => {
  await expect(startControlPlane(options as ControlPlaneOptions)).rejects.toEqual(new ControlPlaneError(message));
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
