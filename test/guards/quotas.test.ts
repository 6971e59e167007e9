import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { core, object, paths, pod } from './objects.ts';

const folder = mkdtempSync(join(tmpdir(), 'quotas-'));
afterAll(() => rmSync(folder, { recursive: true }));
const ADMISSION = `apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: ResourceQuota
  path: quota.yaml
`;
const QUOTA = `apiVersion: apiserver.config.k8s.io/v1
kind: ResourceQuotaConfiguration
limitedResources:
- resource: configmaps
  matchContains: [count/configmaps]
- resource: pods
  matchScopes:
  - {scopeName: PriorityClass, operator: In, values: [high]}
`;
// The mutation tests start a server for each test, after this hook.
beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'admission.yaml'), ADMISSION);
  writeFileSync(join(folder, 'quota.yaml'), QUOTA);
});

const server = assembledServer(`--admission-control-config-file=${join(folder, 'admission.yaml')}`);
const CONFIG_MAPS = paths.in('default', 'configmaps');
const PODS = paths.in('default', 'pods');

/** A quota that a controller has counted. */
async function counted(name: string, hard: object, spec: object = {}) {
  const quotas = paths.in('default', 'resourcequotas');
  await server.make(quotas, core('ResourceQuota', name, { spec: { hard, ...spec } }));
  const used = Object.fromEntries(Object.keys(hard).map((resource) => [resource, '0']));
  await server.make(`${quotas}/${name}/status`, { status: { hard, used } }, 'PATCH');
}

beforeAll(async () => {
  await server.make(paths.in('default', 'serviceaccounts'), core('ServiceAccount', 'default'));
  const high = object('scheduling.k8s.io/v1', 'PriorityClass', 'high', { value: 5 });
  await server.make('/apis/scheduling.k8s.io/v1/priorityclasses', high);
});

it('a limited resource needs a quota', async () => {
  const create = (name: string) => server.ask('POST', CONFIG_MAPS, core('ConfigMap', name));
  expect(await create('a')).toMatchObject({
    code: 403,
    body: { message: 'configmaps "a" is forbidden: insufficient quota to consume: count/configmaps' },
  });
  await counted('config', { 'count/configmaps': '1' });
  await server.until(201, () => create('a'));
  expect((await create('b')).body.message).toBe(
    'configmaps "b" is forbidden: exceeded quota: config, requested: count/configmaps=1, used: count/configmaps=1, limited: count/configmaps=1',
  );
});

it('a limited scope needs a quota of that scope', async () => {
  const create = () => server.ask('POST', PODS, pod('a', { priorityClassName: 'high' }));
  await server.until(500, create);
  expect((await create()).body).toMatchObject({
    status: 'Failure',
    message: 'insufficient quota to match these scopes: [{PriorityClass In [high]}]',
    code: 500,
  });
  const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }];
  await counted('important', { pods: '1' }, { scopeSelector: { matchExpressions } });
  await server.until(201, create);
});

it('other resources need none', async () => {
  expect((await server.ask('POST', PODS, pod('ordinary'))).code).toBe(201);
  expect((await server.ask('POST', paths.in('default', 'secrets'), core('Secret', 's'))).code).toBe(201);
});
