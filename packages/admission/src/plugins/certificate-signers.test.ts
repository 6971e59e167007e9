import type { CertificateSigningRequest, CertificateSigningRequestStatus } from '@apiserver/api/certificates/v1';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { certificateApproval, certificateSigning } from './certificate-signers.js';

const user = { name: 'jane', groups: [], extra: {} };

const request = (status: CertificateSigningRequestStatus = {}): CertificateSigningRequest => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'a' },
  spec: { request: '', signerName: 'example.com/s' },
  status,
});
const failed = { conditions: [{ type: 'Failed', status: 'True' }] };

const plugins = { approval: certificateApproval, signing: certificateSigning };

interface Request {
  readonly plugin: keyof typeof plugins;
  readonly subresource: string;
  readonly status?: CertificateSigningRequestStatus;
  /** The signer and the verb that the user is authorized for. */
  readonly may?: string;
}

const forbidden = (verb: string) =>
  `certificatesigningrequests.certificates.k8s.io "a" is forbidden: user not permitted to ${verb} requests with signerName "example.com/s"`;

it('refuses a request without a user', async () => {
  const dependencies = testPluginDependencies({}, { allows: () => true });
  const resource = 'certificatesigningrequests.certificates.k8s.io/approval';
  const attributes = objectAttributes(resource, request(), { oldObject: request() });
  expect(await runPlugin(certificateApproval(dependencies), attributes)).toEqual({ refused: forbidden('approve') });
});

it.each<[Request, string]>([
  [{ plugin: 'approval', subresource: '/approval' }, forbidden('approve')],
  [{ plugin: 'approval', subresource: '/approval', may: 'sign example.com/s' }, forbidden('approve')],
  [{ plugin: 'approval', subresource: '/approval', may: 'approve example.com/s' }, ''],
  [{ plugin: 'approval', subresource: '/approval', may: 'approve example.com/*' }, ''],
  [{ plugin: 'approval', subresource: '/status' }, ''],
  [{ plugin: 'approval', subresource: '' }, ''],
  [{ plugin: 'signing', subresource: '/status' }, ''],
  [{ plugin: 'signing', subresource: '/status', status: { certificate: 'eA==' } }, forbidden('sign')],
  [{ plugin: 'signing', subresource: '/status', status: failed }, forbidden('sign')],
  [{ plugin: 'signing', subresource: '/status', status: failed, may: 'sign example.com/*' }, ''],
  [{ plugin: 'signing', subresource: '/approval', status: failed }, ''],
])('%j', async ({ plugin, subresource, status, may }, refused) => {
  const dependencies = testPluginDependencies(
    {},
    { allows: ({ verb, resource, name }) => `${verb} ${name}` === may && resource === 'signers' },
  );
  const object = request(status);
  const resource = `certificatesigningrequests.certificates.k8s.io${subresource}`;
  const attributes = objectAttributes(resource, object, { oldObject: request(), user });
  expect(await runPlugin(plugins[plugin](dependencies), attributes)).toEqual(refused === '' ? { object } : { refused });
});
