import { expect, it } from 'vitest';
import { annotateOldCertificate } from './certificate-annotations.js';

const LEGACY = 'Post "https://h": x509: certificate relies on legacy Common Name field, use SANs instead';
const SHA1 = 'x509: cannot verify signature: insecure algorithm SHA1-RSA';
const COMMON_NAME = 'relies on a legacy Common Name field instead of the SAN extension for subject validation';
const service = { namespace: 'ns', name: 's', port: 443 };

it.each([
  [
    { url: 'https://h.example.com:8443/p' },
    LEGACY,
    { 'missing-san.invalid-cert.kubernetes.io/h.example.com': COMMON_NAME },
  ],
  [{ url: 'https://[fd00::1]/p' }, LEGACY, { 'missing-san.invalid-cert.kubernetes.io/fd00::1': COMMON_NAME }],
  [{ url: 'nowhere' }, LEGACY, { 'missing-san.invalid-cert.kubernetes.io/': COMMON_NAME }],
  [{}, LEGACY, { 'missing-san.invalid-cert.kubernetes.io/': COMMON_NAME }],
  [{ service }, SHA1, { 'insecure-sha1.invalid-cert.kubernetes.io/s.ns.svc': 'uses an insecure SHA-1 signature' }],
  [{ service }, 'x509: certificate has expired', {}],
])('%j that fails by %s', (webhook, failure, expected) => {
  const client = { name: 'w.example.com', caBundle: '', ...webhook };
  const annotations = new Map<string, string>();
  annotateOldCertificate({ addAnnotation: (key, value) => void annotations.set(key, value) }, client, failure);
  expect(Object.fromEntries(annotations)).toEqual(expected);
});
