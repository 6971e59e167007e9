import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, it } from 'vitest';
import { makeTestCertificate } from '../../testing/index.js';
import { parseCertificate } from './certificate.js';
import { checkShownKey, isVerifiable } from './verifiable-key.js';

const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey;

/** An RSA key whose modulus is no product of known primes. */
function rsa(modulusLength: number, exponent: bigint): KeyObject {
  const base64url = (value: bigint) => Buffer.from(value.toString(16).padStart(8, '0'), 'hex').toString('base64url');
  const n = base64url((1n << BigInt(modulusLength)) - 189n);
  return createPublicKey({ key: { kty: 'RSA', n, e: base64url(exponent) }, format: 'jwk' });
}

it.each<[string, () => KeyObject, boolean]>([
  ['P-224', () => ec('P-224'), true],
  ['P-256', () => ec('P-256'), true],
  ['P-384', () => ec('P-384'), true],
  ['P-521', () => ec('P-521'), true],
  ['a curve of Bitcoin', () => ec('secp256k1'), false],
  ['a slow curve', () => ec('sect571r1'), false],
  ['Ed25519', () => generateKeyPairSync('ed25519').publicKey, true],
  ['Ed448', () => generateKeyPairSync('ed448').publicKey, false],
  ['RSA of 8192 bits', () => rsa(8_192, 65_537n), true],
  ['RSA of more bits', () => rsa(8_200, 65_537n), false],
  ['RSA with the largest exponent', () => rsa(2_048, 2n ** 31n - 1n), true],
  ['RSA with a larger exponent', () => rsa(2_048, 2n ** 31n + 1n), false],
])('%s', (_, key, expected) => {
  expect(isVerifiable(key())).toBe(expected);
});

it.each([
  ['RSA of 8192 bits', () => rsa(8_192, 65_537n), undefined],
  [
    'RSA of more bits',
    () => rsa(8_200, 65_537n),
    'tls: server sent certificate containing RSA key larger than 8192 bits',
  ],
  ['P-256', () => ec('P-256'), undefined],
])('a server may show a certificate for %s, or is refused as by Go', (_, key, refusal) => {
  const certificate = parseCertificate(makeTestCertificate({ publicKey: key() }).der);
  const check = () => checkShownKey(certificate, 'server');
  if (refusal === undefined) check();
  else expect(check).toThrow(refusal);
});
