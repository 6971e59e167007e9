import { createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { certificateRequests } from '../testing/certificate-requests.js';
import {
  certificateRequestFault,
  certificateRequestKey,
  isCertificateRequestSigned,
  parseCertificateRequest,
} from './certificate-request.js';

const NODE = { commonName: 'system:node:n1', organizations: ['system:nodes', 'team'] };

describe.each(Object.entries(certificateRequests))('%s', (name, pem) => {
  it('reports its subject', () => {
    const subject = name === 'pss' ? { commonName: 'root', organizations: ['system:masters'] } : NODE;
    expect(parseCertificateRequest(pem)).toMatchObject(subject);
  });

  it('is signed by its own key', () => {
    expect(certificateRequestFault(pem)).toBeUndefined();
  });

  it('is rejected with a changed subject', () => {
    const der = Buffer.from(pem.replaceAll(/-----.*-----|\n/g, ''), 'base64');
    der.write(name === 'pss' ? 'ROOT' : 'SYSTEM', der.indexOf(name === 'pss' ? 'root' : 'system'));
    const changed = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    expect(certificateRequestFault(changed)).toBe(FAILURES[name]);
  });
});

const FAILURES: Readonly<Record<string, string>> = {
  rsa: 'crypto/rsa: verification error',
  pss: 'crypto/rsa: verification error',
  ecdsa: 'x509: ECDSA verification failure',
  ed25519: 'x509: Ed25519 verification failure',
};

const block = (body: string, type = 'CERTIFICATE REQUEST') =>
  `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;

it.each([
  ['', 'PEM block type must be CERTIFICATE REQUEST'],
  ['x', 'PEM block type must be CERTIFICATE REQUEST'],
  [block('AAAA', 'CERTIFICATE'), 'PEM block type must be CERTIFICATE REQUEST'],
  [block('AAA'), 'PEM block type must be CERTIFICATE REQUEST'],
  [block('AAAA'), 'x509: malformed certificate request'],
  [block('MAA='), 'x509: malformed certificate request'],
])('%j: %s', (pem, fault) => {
  expect(certificateRequestFault(pem)).toBe(fault);
  expect(() => parseCertificateRequest(pem)).toThrow(fault);
});

it('reads a request in DER', () => {
  const der = Buffer.from(certificateRequests.ed25519.replaceAll(/-----.*-----|\n/g, ''), 'base64');
  const key = certificateRequestKey(der) ?? new Uint8Array();
  expect(createPublicKey({ key: Buffer.from(key), format: 'der', type: 'spki' }).asymmetricKeyType).toBe('ed25519');
  expect(isCertificateRequestSigned(der)).toBe(true);
  const changed = Buffer.from(der);
  changed.write('SYSTEM', changed.indexOf('system'));
  expect(isCertificateRequestSigned(changed)).toBe(false);
  const garbage = der.subarray(1);
  expect([certificateRequestKey(garbage), isCertificateRequestSigned(garbage)]).toEqual([undefined, false]);
});
