import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { makeTestCertificate } from '../testing/index.js';
import { readFirstDerElement } from './der-reader.js';
import { keyPairFault } from './key-pair.js';
import { formatPemBlock, type PemBlock, readPemBlock } from './pem-block.js';

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
const { bytes: CERTIFICATE_DER } = readPemBlock(CERTIFICATE) as PemBlock;
const { bytes: KEY_DER } = readPemBlock(KEY) as PemBlock;
const certificateOf = (bytes: Uint8Array) => formatPemBlock({ type: 'CERTIFICATE', bytes });
const keyOf = (bytes: Uint8Array) => formatPemBlock({ type: 'PRIVATE KEY', bytes });
const followed = (bytes: Uint8Array) => Buffer.concat([bytes, Buffer.from([0])]);
/** With a length that says too little: the end is marked instead. */
const ofUnknownLength = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from([0x30, 0x80]), readFirstDerElement(bytes).content, Buffer.from([0, 0])]);
/** With a public key of an algorithm that nobody knows. */
const ofUnknownAlgorithm = (bytes: Uint8Array) => {
  const changed = Buffer.from(bytes);
  changed[changed.indexOf('06072a8648ce3d0201', 0, 'hex') + 8] = 0x7f;
  return changed;
};
const inPKCS1 = () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  return privateKey.export({ type: 'pkcs1', format: 'der' });
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
  ['a byte behind the certificate', certificateOf(followed(CERTIFICATE_DER)), KEY, 'x509: trailing data'],
  ['a certificate that is no DER', certificateOf(ofUnknownLength(CERTIFICATE_DER)), KEY, 'x509: malformed certificate'],
  [
    'an unknown algorithm',
    certificateOf(ofUnknownAlgorithm(CERTIFICATE_DER)),
    KEY,
    'tls: unknown public key algorithm',
  ],
  ['a byte behind a key in PKCS#8', CERTIFICATE, keyOf(followed(KEY_DER)), undefined],
  ['a byte behind a key in PKCS#1', CERTIFICATE, keyOf(followed(inPKCS1())), 'tls: failed to parse private key'],
  ['a key in PKCS#1', CERTIFICATE, keyOf(inPKCS1()), 'tls: private key type does not match public key type'],
  ['an empty key', CERTIFICATE, keyOf(Buffer.alloc(0)), 'tls: failed to parse private key'],
  ['a truncated key', CERTIFICATE, keyOf(KEY_DER.subarray(0, 20)), 'tls: failed to parse private key'],
  ['a key that is no DER', CERTIFICATE, keyOf(ofUnknownLength(KEY_DER)), 'tls: failed to parse private key'],
  ['a certificate of an unknown curve', CURVE_CERTIFICATE, KEY, 'x509: unsupported elliptic curve'],
])('%s', (_what, certificate, key, fault) => {
  expect(keyPairFault(certificate, key)).toBe(fault);
});
