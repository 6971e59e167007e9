import { certificateRequests } from '@apiserver/apimachinery/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { binding, object, paths, type Rule, role } from './objects.ts';

const server = assembledServer();
const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const SIGNER = 'example.com/ours';
const jane = { name: 'jane' };

const request = (name: string, signerName: string, pem: string) =>
  object('certificates.k8s.io/v1', 'CertificateSigningRequest', name, {
    spec: { signerName, usages: ['client auth'], request: Buffer.from(pem).toString('base64') },
  });
const modest = certificateRequests.ecdsa;
const ofMasters = certificateRequests.pss;

/** Jane may write requests, their approval and their status, and has no say about signers. */
beforeAll(async () => {
  const subject = { kind: 'User', name: 'jane' } as const;
  const resources = ['', '/approval', '/status'].map((part) => `certificatesigningrequests${part}`);
  const requests: Rule = { apiGroups: ['certificates.k8s.io'], resources, verbs: ['create', 'get', 'update', 'patch'] };
  await server.make(paths.clusterRoles, role('ClusterRole', 'requests', requests));
  await server.make(paths.clusterRoleBindings, binding('ClusterRoleBinding', 'requests', 'requests', subject));
  for (const name of ['approve', 'sign']) await server.make(REQUESTS, request(name, SIGNER, modest));
  await server.until(200, () => server.ask('GET', `${REQUESTS}/sign`, undefined, jane));
});

describe.each<[string, string, object]>([
  ['approve', 'approval', { conditions: [{ type: 'Approved', status: 'True', reason: 'R', message: 'm' }] }],
  ['sign', 'status', { conditions: [{ type: 'Failed', status: 'True', reason: 'R', message: 'm' }] }],
])('to %s', (verb, subresource, status) => {
  const change = () => server.ask('PATCH', `${REQUESTS}/${verb}/${subresource}`, { status }, jane);

  it(`takes more than to write ${subresource}`, async () => {
    const { code, body } = await change();
    expect([code, body.message]).toEqual([
      403,
      expect.stringContaining(`user not permitted to ${verb} requests with signerName`),
    ]);
  });

  it('takes the verb on the signer', async () => {
    const rule = { apiGroups: ['certificates.k8s.io'], resources: ['signers'], verbs: [verb], resourceNames: [SIGNER] };
    const subject = { kind: 'User', name: 'jane' } as const;
    await server.make(paths.clusterRoles, role('ClusterRole', verb, rule));
    await server.make(paths.clusterRoleBindings, binding('ClusterRoleBinding', verb, verb, subject));
    await server.until(200, change);
  });
});

it('a request for a certificate of system:masters is refused', async () => {
  const signer = 'kubernetes.io/kube-apiserver-client';
  const refused = await server.ask('POST', REQUESTS, request('master', signer, ofMasters));
  const taken = await server.ask('POST', REQUESTS, request('modest', signer, modest));
  expect([refused, taken].map(({ code }) => code)).toEqual([403, 201]);
  expect(refused.body.message).toContain('system:masters');
});

it('a request has the user of its creator', async () => {
  const sent = { ...request('mine', SIGNER, modest) } as { spec: object };
  const response = await server.ask('POST', REQUESTS, { ...sent, spec: { ...sent.spec, username: 'admin' } }, jane);
  expect([response.code, response.body.spec.username]).toEqual([201, 'jane']);
});
