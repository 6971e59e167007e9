import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, runBinary, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { customResourceDefinition } from '../harness/custom-resource-definition.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const missing = kubectlMissing();

describe.skipIf(missing !== undefined)(`served groups${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: ApiServer;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startApiServer({ args: ['--runtime-config=batch/v1=false,apps/v1/daemonsets=false'] });
    kubectl = new Kubectl(server.kubeconfig);
  });
  afterAll(async () => {
    kubectl?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const lines = async (...args: readonly string[]) => (await kubectl.ok(args)).trim().split('\n');

  it('lists the group versions of this server as available', async () => {
    const rows = (await lines('get', 'apiservices', '--no-headers')).map((row) => row.split(/\s+/));
    expect(new Set(rows.map(([, service, available]) => `${service} ${available}`))).toEqual(new Set(['Local True']));
    const names = rows.map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(['v1.', 'v1.apps', 'v1.apiextensions.k8s.io']));
    expect(names).not.toContain('v1.batch');
  });

  it('does not serve disabled groups', async () => {
    const resources = await lines('api-resources', '-o', 'name');
    expect(resources).toContain('deployments.apps');
    expect(resources.filter((name) => /^(daemonsets\.apps|.*\.batch)$/.test(name))).toEqual([]);
    const { stderr } = await kubectl.run(['get', '--raw', '/apis/batch/v1/jobs']);
    expect(stderr).toContain('the server could not find the requested resource');
  });

  it('takes a definition off with its APIService', async () => {
    const definition = customResourceDefinition('example.com', 'Shirt');
    await kubectl.ok(['create', '-f', '-'], JSON.stringify(definition));
    await kubectl.established('shirts.example.com');
    const names = async () => lines('get', 'apiservices', '-o', 'name');
    await expect.poll(names).toContain('apiservice.apiregistration.k8s.io/v1.example.com');
    await kubectl.ok(['delete', 'crd', 'shirts.example.com']);
    await expect.poll(names).not.toContain('apiservice.apiregistration.k8s.io/v1.example.com');
  });
});

it.each([
  ['api/all=false', '--runtime-config', 'invalid runtime-config with only api/all=false'],
  ['nope.example.com/v1=true', '--runtime-config', 'unknown api groups nope.example.com/v1'],
  ['apps/v9=true', '--runtime-config', 'group version apps/v9 that has not been registered'],
])('refuses %s', async (value, flag, message) => {
  using folder = temporaryDirectory('api-enablement');
  const { code, stderr } = await runBinary([`--data-dir=${folder.path}`, '--secure-port=0', `${flag}=${value}`]);
  expect([code, stderr.includes(message)]).toEqual([1, true]);
});
