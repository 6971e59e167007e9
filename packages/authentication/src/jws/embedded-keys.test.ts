import { Buffer } from 'node:buffer';
import { createHash, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { atOnce } from '@apiserver/apimachinery/clock';
import { makeTestCertificate } from '@apiserver/apimachinery/testing';
import { expect, it } from 'vitest';
import { checkEmbeddedKeysSteps } from './embedded-keys.js';

const jwkOf = (key: KeyObject) => key.export({ format: 'jwk' });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const edwards = generateKeyPairSync('ed25519');
const jwk = jwkOf(ec.publicKey);
const certificate = new X509Certificate(makeTestCertificate().certificate);
const der = certificate.raw.toString('base64');
const certified = { ...jwkOf(certificate.publicKey), x5c: [der] };
const print = (hash: string) => createHash(hash).update(certificate.raw).digest();

const PRIVATE = 'go-jose/go-jose: invalid embedded jwk, must be public key';
const JWK = 'failed to unmarshal JWK: go-jose/go-jose:';
const X5C = 'failed to unmarshal x5c header:';

it.each<[name: string, header: Readonly<Record<string, unknown>>, fault: string | undefined]>([
  ['nothing', {}, undefined],
  ['nulls', { jwk: null, x5c: null }, undefined],
  ['a key of a curve', { jwk }, undefined],
  ['a key of RSA', { jwk: jwkOf(rsa.publicKey) }, undefined],
  ['a key of an Edwards curve', { jwk: jwkOf(edwards.publicKey) }, undefined],
  ['a further field', { jwk: { ...jwk, d: null, more: 5 } }, undefined],
  ['a private key of a curve', { jwk: jwkOf(ec.privateKey) }, PRIVATE],
  ['a private key of RSA', { jwk: jwkOf(rsa.privateKey) }, PRIVATE],
  ['a shared key', { jwk: { kty: 'oct', k: 'AAAA' } }, PRIVATE],
  ['no object', { jwk: [] }, 'failed to unmarshal JWK: a key is no object'],
  ['no type', { jwk: {} }, `${JWK} unknown json web key type ''`],
  ['an unknown curve', { jwk: { kty: 'EC', crv: 'P-1' } }, `${JWK} unsupported elliptic curve 'P-1'`],
  ['no point of the curve', { jwk: { ...jwk, x: jwk.y } }, `${JWK} invalid EC key, X/Y are not on declared curve`],
  [
    'a use that is no text',
    { jwk: { ...jwk, use: 5 } },
    'failed to unmarshal JWK: the field "use" of a key is no text',
  ],
  ['a certificate', { x5c: [der] }, undefined],
  ['no certificate', { x5c: [] }, undefined],
  ['a text instead of certificates', { x5c: der }, `${X5C} the certificates are no list`],
  ['a malformed certificate', { x5c: [der, 'AAAA'] }, `${X5C} x509: malformed certificate`],
  ['an absent certificate', { x5c: [null] }, `${X5C} x509: malformed certificate`],
  ['a certificate that is no base64', { x5c: ['!!'] }, `${X5C} illegal base64 data at input byte 0`],
  ['a key with its certificate', { jwk: certified }, undefined],
  [
    'a key with its thumbprints',
    {
      jwk: {
        ...certified,
        x5t: print('sha1').toString('base64url'),
        'x5t#S256': Buffer.from(print('sha256').toString('hex')).toString('base64url'),
      },
    },
    undefined,
  ],
  [
    'a key with another certificate',
    { jwk: { ...jwk, x5c: [der] } },
    `${JWK} invalid JWK, public keys in key and x5c fields to not match`,
  ],
  ['a short thumbprint', { jwk: { ...jwk, x5t: 'AAAA' } }, `${JWK} invalid JWK, x5t header is of incorrect size`],
  [
    'another thumbprint',
    { jwk: { ...certified, x5t: Buffer.alloc(20).toString('base64url') } },
    `${JWK} invalid JWK, x5c thumbprint does not match x5t value`,
  ],
])('a header with %s', (_name, header, fault) => {
  const check = () => atOnce(checkEmbeddedKeysSteps(header));
  if (fault === undefined) check();
  else expect(check).toThrow(expect.objectContaining({ message: fault }));
});

it.each([
  ['the header', { x5c: Array(100).fill(der) }],
  ['its key', { jwk: { ...certified, x5c: Array(100).fill(der) } }],
])('certificates of %s are read in a step each', (_name, header) => {
  expect([...checkEmbeddedKeysSteps(header)]).toHaveLength(100);
});
