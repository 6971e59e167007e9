import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { makeTestCertificate } from '../../testing/index.js';
import { readDerElements } from '../der-reader.js';
import { parseCertificate } from './certificate.js';
import { checkSignature } from './signature.js';

const root = makeTestCertificate({ commonName: 'root', authority: true, rsa: true });
const issuer = parseCertificate(root.der);
const leaf = parseCertificate(makeTestCertificate({ issuer: root }).der);

const RSA_PSS = '06092a864886f70d01010a';
const SHA1 = '300906052b0e03021a0500';
const SHA256 = '300d06096086480165030402010500';
const mgf1 = (digest: string) => sequence(`06092a864886f70d010108${digest}`);
const element = (tag: string, content: string) =>
  `${tag}${(content.length / 2).toString(16).padStart(2, '0')}${content}`;
const sequence = (content: string) => element('30', content);
const parameters = (digest: string, mask: string, salt: number) =>
  sequence(
    element('a0', digest) + element('a1', mgf1(mask)) + element('a2', `0201${salt.toString(16).padStart(2, '0')}`),
  );

// The signature itself is a good one; only its algorithm is replaced.
it.each<[string, string, string]>([
  ['one digest and its salt', parameters(SHA256, SHA256, 32), ''],
  ['no parameters', '', 'x509: cannot verify signature: algorithm unimplemented'],
  ['empty parameters, which stand for SHA-1', '3000', 'x509: cannot verify signature: algorithm unimplemented'],
  ['SHA-1', parameters(SHA1, SHA1, 20), 'x509: cannot verify signature: algorithm unimplemented'],
  ['two digests', parameters(SHA256, SHA1, 32), 'x509: cannot verify signature: algorithm unimplemented'],
  ['another salt', parameters(SHA256, SHA256, 20), 'x509: cannot verify signature: algorithm unimplemented'],
])('judges RSA-PSS with %s', (_name, written, expected) => {
  const signatureAlgorithm = readDerElements(Buffer.from(RSA_PSS + written, 'hex'));
  const check = () => checkSignature({ ...leaf, signatureAlgorithm }, issuer);
  if (expected === '') expect(check).not.toThrow();
  else expect(check).toThrow(expected);
});
