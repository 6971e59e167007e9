import { certificateRequests } from '@apiserver/apimachinery/testing';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { runPlugin } from '../testing/run-plugin.js';
import { certificateSubjectRestriction } from './certificate-subject-restriction.js';

const CLIENTS = 'kubernetes.io/kube-apiserver-client';
const masters = 'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed';

it.each([
  [CLIENTS, certificateRequests.pss, masters],
  [CLIENTS, certificateRequests.rsa, ''],
  [CLIENTS, '', 'failed to parse CSR: PEM block type must be CERTIFICATE REQUEST'],
  ['example.com/s', certificateRequests.pss, ''],
])('to %s: %s', async (signerName, pem, fault) => {
  const object = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'a' },
    spec: { signerName, request: Buffer.from(pem).toString('base64') },
  };
  const attributes = objectAttributes('certificatesigningrequests.certificates.k8s.io', object);
  const refused = `certificatesigningrequests.certificates.k8s.io "a" is forbidden: ${fault}`;
  expect(await runPlugin(certificateSubjectRestriction(), attributes)).toEqual(fault === '' ? { object } : { refused });
});
