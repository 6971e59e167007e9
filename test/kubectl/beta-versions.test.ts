import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const missing = kubectlMissing();

/** Upstream: test/integration/dra (api versions), and `--runtime-config` of drivers that need a beta version. */
describe.skipIf(missing !== undefined)(`beta versions${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: ApiServer;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startApiServer({
      args: [
        '--runtime-config=resource.k8s.io/v1beta1=true,resource.k8s.io/v1beta2=true,networking.k8s.io/v1beta1=true',
        '--runtime-config=storage.k8s.io/v1beta1=true',
      ],
    });
    kubectl = new Kubectl(server.kubeconfig);
  });
  afterAll(async () => {
    kubectl?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const read = async (path: string) => JSON.parse(await kubectl.ok(['get', '--raw', path]));

  it('are listed behind the stable ones', async () => {
    const groups: { name: string; versions: { version: string }[] }[] = (await read('/apis')).groups;
    const versions = groups.map(({ name, versions: all }) => [name, all.map(({ version }) => version)] as const);
    expect(versions.filter(([name]) => /^(resource|networking|storage)\.k8s\.io$/.test(name))).toEqual([
      ['networking.k8s.io', ['v1', 'v1beta1']],
      ['storage.k8s.io', ['v1', 'v1beta1']],
      ['resource.k8s.io', ['v1', 'v1beta2', 'v1beta1']],
    ]);
    const { resources } = await read('/apis/networking.k8s.io/v1beta1');
    expect(resources.map(({ name }: { name: string }) => name)).toEqual([
      'ipaddresses',
      'servicecidrs',
      'servicecidrs/status',
    ]);
  });

  it('show a claim of one version in the others, with a warning', async () => {
    const claim = {
      apiVersion: 'resource.k8s.io/v1beta1',
      kind: 'ResourceClaim',
      metadata: { name: 'c', namespace: 'default' },
      spec: { devices: { requests: [{ name: 'r', deviceClassName: 'gpu' }] } },
    };
    const { stderr } = await kubectl.run(['create', '-f', '-'], JSON.stringify(claim));
    expect(stderr).toContain(
      'Warning: resource.k8s.io/v1beta1 ResourceClaim is deprecated in v1.35+, unavailable in v1.38+',
    );
    const path = (version: string) => `/apis/resource.k8s.io/${version}/namespaces/default/resourceclaims/c`;
    const fields = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 };
    const requests = async (version: string) => (await read(path(version))).spec.devices.requests;
    expect(await Promise.all(['v1', 'v1beta2', 'v1beta1'].map(requests))).toEqual([
      [{ name: 'r', exactly: fields }],
      [{ name: 'r', exactly: fields }],
      [{ name: 'r', ...fields }],
    ]);
  });

  it('apply to objects of the stable version', async () => {
    const vac = (version: string, labels: object) =>
      JSON.stringify({
        apiVersion: `storage.k8s.io/${version}`,
        kind: 'VolumeAttributesClass',
        metadata: { name: 'gold', labels },
        driverName: 'd.example.com',
        parameters: { iops: '1' },
      });
    await kubectl.ok(['apply', '--server-side', '-f', '-'], vac('v1', { a: '1' }));
    await kubectl.ok(['apply', '--server-side', '-f', '-'], vac('v1beta1', { b: '2' }));
    const { metadata } = await read('/apis/storage.k8s.io/v1/volumeattributesclasses/gold');
    expect(metadata.labels).toEqual({ b: '2' });
  });

  it('refuse unknown field selectors in the words of the version', async () => {
    const { stderr } = await kubectl.run([
      'get',
      '--raw',
      '/apis/resource.k8s.io/v1beta2/resourceslices?fieldSelector=a%3Db',
    ]);
    expect(stderr).toContain('field label not supported for resource.k8s.io/v1beta2, Kind=ResourceSlice: a');
  });
});
