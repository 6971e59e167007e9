import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const missing = kubectlMissing();

describe.skipIf(missing !== undefined)(`addresses of services${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: ApiServer;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startApiServer();
    kubectl = new Kubectl(server.kubeconfig);
  });
  afterAll(async () => {
    kubectl?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const addresses = async () =>
    (await kubectl.ok(['get', 'ipaddresses', '--no-headers']))
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/));

  it('the default ServiceCIDR is there, and gets ready', async () => {
    await kubectl.ok(['wait', '--for=condition=Ready', 'servicecidr/kubernetes', '--timeout=15s']);
    const cidrs = await kubectl.ok(['get', 'servicecidrs', '-o', 'jsonpath={.items[*].spec.cidrs}']);
    expect(cidrs).toBe('["10.0.0.0/24"]');
    await expect.poll(addresses).toEqual([['10.0.0.1', 'services/default/kubernetes']]);
  });

  it('a service has an address as long as it is there', async () => {
    await kubectl.ok(['create', 'service', 'clusterip', 'a', '--tcp=80', '--clusterip=10.0.0.50']);
    expect(await addresses()).toContainEqual(['10.0.0.50', 'services/default/a']);
    const taken = await kubectl.run(['create', 'service', 'clusterip', 'b', '--tcp=80', '--clusterip=10.0.0.50']);
    expect(taken.stderr).toContain('failed to allocate IP 10.0.0.50: provided IP is already allocated');
    await kubectl.ok(['delete', 'service', 'a']);
    expect(await addresses()).toEqual([['10.0.0.1', 'services/default/kubernetes']]);
    await kubectl.ok(['create', 'service', 'clusterip', 'b', '--tcp=80', '--clusterip=10.0.0.50']);
    await kubectl.ok(['create', 'service', 'clusterip', 'c', '--tcp=80', '--clusterip=10.0.0.51', '--dry-run=server']);
    expect((await addresses()).map(([address]) => address)).toEqual(['10.0.0.1', '10.0.0.50']);
  });

  it('another ServiceCIDR adds addresses', async () => {
    const outside = ['create', 'service', 'clusterip', 'd', '--tcp=80', '--clusterip=10.1.0.5'];
    const refused = await kubectl.run(outside);
    expect(refused.stderr).toContain('the provided network does not match the current range');
    const more = { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: 'more' } };
    await kubectl.ok(['apply', '-f', '-'], JSON.stringify({ ...more, spec: { cidrs: ['10.1.0.0/28'] } }));
    await kubectl.ok(outside);
    expect(await addresses()).toContainEqual(['10.1.0.5', 'services/default/d']);
  });
});
