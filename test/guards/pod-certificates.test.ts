import { certificateRequests } from '@apiserver/apimachinery/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { binding, object, paths, type Rule, role } from './objects.ts';

const VERSION = 'certificates.k8s.io/v1beta1';
const REQUESTS = `/apis/${VERSION}/namespaces/default/podcertificaterequests`;
const RUNTIME_CONFIG = `--runtime-config=${VERSION}/podcertificaterequests=true`;
const jane = { name: 'jane' };
const stubPKCS10Request = certificateRequests.ed25519.replaceAll(/-----.*-----|\n/g, '');

const request = (name: string, signerName: string, nodeName: string) =>
  object(VERSION, 'PodCertificateRequest', name, {
    spec: {
      signerName,
      podName: 'p',
      podUID: 'p',
      serviceAccountName: 'default',
      serviceAccountUID: 's',
      nodeName,
      nodeUID: 'n',
      stubPKCS10Request,
    },
    status: { conditions: [{ type: 'Denied' }] },
  });
const denied = {
  status: {
    conditions: [
      { type: 'Denied', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-02T03:04:05Z' },
    ],
  },
};

describe('a server with pod certificates', () => {
  const server = assembledServer('--feature-gates=PodCertificateRequest=true', RUNTIME_CONFIG);
  const deny = (name: string) => server.ask('PATCH', `${REQUESTS}/${name}/status`, denied, jane);

  /** Jane may write statuses, and signs for one of two signers. */
  beforeAll(async () => {
    const subject = { kind: 'User', name: 'jane' } as const;
    const groups = { apiGroups: ['certificates.k8s.io'] };
    const write: Rule = { ...groups, resources: ['podcertificaterequests/status'], verbs: ['patch'] };
    const sign: Rule = { ...groups, resources: ['signers'], verbs: ['sign'], resourceNames: ['example.com/ours'] };
    await server.make(paths.clusterRoles, role('ClusterRole', 'signer', write, sign));
    await server.make(paths.clusterRoleBindings, binding('ClusterRoleBinding', 'signer', 'signer', subject));
    await server.make(REQUESTS, request('ours', 'example.com/ours', 'node-1'));
    await server.make(REQUESTS, request('theirs', 'example.com/theirs', 'node-2'));
  });

  it('takes a status from a signer of the request only', async () => {
    const created = await server.ask('GET', `${REQUESTS}/ours`);
    expect(created.body).toMatchObject({ spec: { maxExpirationSeconds: 86_400 }, status: {} });
    expect(created.body.status.conditions).toBeUndefined();
    await server.until(200, () => deny('ours'));
    expect(await deny('theirs')).toMatchObject({
      code: 422,
      body: {
        message: expect.stringContaining('User "jane" is not permitted to "sign" for signer "example.com/theirs"'),
      },
    });
  });

  it('selects them by node, and serves no other resource of the version', async () => {
    const { body } = await server.ask('GET', `${REQUESTS}?fieldSelector=spec.nodeName=node-2`);
    expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['theirs']);
    const { body: list } = await server.ask('GET', `/apis/${VERSION}`);
    expect(list.resources.map(({ name }: { name: string }) => name)).toEqual([
      'podcertificaterequests',
      'podcertificaterequests/status',
    ]);
  });
});

describe('a server without the feature', () => {
  const server = assembledServer(RUNTIME_CONFIG);

  it('has no such resource', async () => {
    expect((await server.ask('GET', REQUESTS)).code).toBe(404);
  });
});
