import { makeTestCertificate } from '@apiserver/authentication/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { binding, object, paths, type Rule, role } from './objects.ts';

const VERSION = 'certificates.k8s.io/v1beta1';
const BUNDLES = `/apis/${VERSION}/clustertrustbundles`;
const RUNTIME_CONFIG = `--runtime-config=${VERSION}=true`;
const trustBundle = makeTestCertificate({ commonName: 'anchor', authority: true }).certificate;
const jane = { name: 'jane' };

const bundle = (name: string, signerName?: string) =>
  object(VERSION, 'ClusterTrustBundle', name, { spec: { trustBundle, ...(signerName && { signerName }) } });

describe('a server with trust bundles', () => {
  const server = assembledServer('--feature-gates=ClusterTrustBundle=true', RUNTIME_CONFIG);
  const create = (name: string, signerName?: string, query = '') =>
    server.ask('POST', `${BUNDLES}${query}`, bundle(name, signerName), jane);

  /** Jane may write bundles, and attests for one of two signers. */
  beforeAll(async () => {
    const subject = { kind: 'User', name: 'jane' } as const;
    const groups = { apiGroups: ['certificates.k8s.io'] };
    const write: Rule = { ...groups, resources: ['clustertrustbundles'], verbs: ['create'] };
    const attest: Rule = { ...groups, resources: ['signers'], verbs: ['attest'], resourceNames: ['example.com/ours'] };
    await server.make(paths.clusterRoles, role('ClusterRole', 'bundles', write, attest));
    await server.make(paths.clusterRoleBindings, binding('ClusterRoleBinding', 'bundles', 'bundles', subject));
    await server.until(201, () => create('free'));
    await server.until(201, () => create('example.com:ours:a', 'example.com/ours'));
  });

  it('takes those of a signer from its attesters only', async () => {
    expect((await create('example.com:ours:b', 'example.com/ours', '?dryRun=All')).code).toBe(201);
    expect(await create('example.com:theirs:a', 'example.com/theirs')).toMatchObject({
      code: 403,
      body: {
        message:
          'clustertrustbundles.certificates.k8s.io "example.com:theirs:a" is forbidden: user not permitted to attest for signerName "example.com/theirs"',
      },
    });
  });

  it('selects them by signer, and serves only the enabled version', async () => {
    const { body } = await server.ask('GET', `${BUNDLES}?fieldSelector=spec.signerName=example.com/ours`);
    expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual([
      'example.com:ours:a',
    ]);
    const { body: group } = await server.ask('GET', '/apis/certificates.k8s.io');
    expect(group.versions.map(({ version }: { version: string }) => version)).toEqual(['v1', 'v1beta1']);
  });
});

describe('a server without the feature', () => {
  const server = assembledServer(RUNTIME_CONFIG);

  it('has no version for it', async () => {
    const { body } = await server.ask('GET', '/apis/certificates.k8s.io');
    expect(body.versions.map(({ version }: { version: string }) => version)).toEqual(['v1']);
    expect((await server.ask('GET', BUNDLES)).code).toBe(404);
  });
});
