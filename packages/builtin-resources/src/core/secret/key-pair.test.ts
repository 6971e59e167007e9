import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { CERTIFICATE, KEY } from '../../testing/self-signed-pair.js';
import { keyPairFault } from './key-pair.js';

const OTHER = '-----BEGIN OTHER-----\nAA==\n-----END OTHER-----\n';

const pem = { type: 'pkcs8', format: 'pem' } as const;
const otherKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem).toString();
const keyOfOtherType = () => generateKeyPairSync('ed25519').privateKey.export(pem).toString();
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
])('%s', (_what, certificate, key, fault) => {
  expect(keyPairFault(certificate, key)).toBe(fault);
});
