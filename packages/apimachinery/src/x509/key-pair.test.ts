import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { makeTestCertificate } from '../testing/index.js';
import { keyPairFault } from './key-pair.js';

const { certificate: CERTIFICATE, key: KEY } = makeTestCertificate({ commonName: 'a' });

/** On the curve secp256k1. */
const CURVE_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBazCCARKgAwIBAgIUGLq1AaNrbDt6L3MM46K8A5jcwh8wCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBYTAgFw0yNjExMzAxMzI2MTVaGA8yMTI2MTEwNjEzMjYxNVow
DDEKMAgGA1UEAwwBYTBWMBAGByqGSM49AgEGBSuBBAAKA0IABPdx+Tn96ZLtPzOu
x6h5uj6d3w4UaPiRfspGb70ac2KhTuXiZMPrkTDR63hYxC1+yTlYAGCtnEKC6dZC
iplTYkKjUzBRMB0GA1UdDgQWBBQ1ZmloXih7yRuIt2CLjI61tZRHzDAfBgNVHSME
GDAWgBQ1ZmloXih7yRuIt2CLjI61tZRHzDAPBgNVHRMBAf8EBTADAQH/MAoGCCqG
SM49BAMCA0cAMEQCIA/FlLzTEkKrpHgRZ5HrZG567Uii7Td43yj39luybfYxAiA9
2xFmG8069yeBYu1qp0AiibHBLLF/kkotSQoUWFcXHg==
-----END CERTIFICATE-----
`;

const OTHER = '-----BEGIN OTHER-----\nAA==\n-----END OTHER-----\n';

const pem = { type: 'pkcs8', format: 'pem' } as const;
const otherKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem).toString();
const keyOfOtherType = () => generateKeyPairSync('ed25519').privateKey.export(pem).toString();
const exchangeKey = () => generateKeyPairSync('x25519').privateKey.export(pem).toString();
const ofUnknownCurve = () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey.export(pem).toString();
const ofOtherType = (text: string) => text.replaceAll(/(BEGIN|END) .*PRIVATE KEY/g, '$1 ODD PRIVATE KEY');
/** With a byte behind the certificate. */
const followed = (text: string) => {
  const lines = text.trim().split('\n');
  const bytes = Buffer.concat([Buffer.from(lines.slice(1, -1).join(''), 'base64'), Buffer.from([0])]);
  return [lines[0], bytes.toString('base64'), lines.at(-1), ''].join('\n');
};
const broken = (text: string) => text.replace(/\n.*\n/, '\nAAAA\n');

it.each<[string, string, string, string | undefined]>([
  ['a pair', CERTIFICATE, KEY, undefined],
  ['a pair after another block', OTHER + CERTIFICATE, OTHER + KEY, undefined],
  ['nothing', '', '', 'tls: failed to find any PEM data in certificate input'],
  ['no key', CERTIFICATE, 'x', 'tls: failed to find any PEM data in key input'],
  [
    'a key as certificate',
    KEY,
    KEY,
    'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
  ],
  [
    'a certificate as key',
    CERTIFICATE,
    CERTIFICATE,
    'tls: found a certificate rather than a key in the PEM for the private key',
  ],
  [
    'something else as certificate',
    OTHER,
    KEY,
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [OTHER]',
  ],
  [
    'something else as key',
    CERTIFICATE,
    OTHER,
    'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [OTHER]',
  ],
  ['a broken certificate', broken(CERTIFICATE), KEY, 'x509: malformed certificate'],
  ['a broken key', CERTIFICATE, broken(KEY), 'tls: failed to parse private key'],
  ['the key of another certificate', CERTIFICATE, otherKey(), 'tls: private key does not match public key'],
  ['a key of another type', CERTIFICATE, keyOfOtherType(), 'tls: private key type does not match public key type'],
  ['a key whose block has another type', CERTIFICATE, ofOtherType(KEY), undefined],
  ['a key for exchanges', CERTIFICATE, exchangeKey(), 'tls: found unknown private key type in PKCS#8 wrapping'],
  ['a key of an unknown curve', CERTIFICATE, ofUnknownCurve(), 'tls: failed to parse private key'],
  ['a byte behind the certificate', followed(CERTIFICATE), KEY, 'x509: trailing data'],
  ['a byte behind the key', CERTIFICATE, followed(KEY), 'tls: failed to parse private key'],
  ['a certificate of an unknown curve', CURVE_CERTIFICATE, KEY, 'x509: unsupported elliptic curve'],
])('%s', (_what, certificate, key, fault) => {
  expect(keyPairFault(certificate, key)).toBe(fault);
});
