import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { atOnce } from '../../clock/index.js';
import { makeTestCertificate } from '../../testing/index.js';
import { parseCertificate } from './certificate.js';
import { CertificatePool } from './certificate-pool.js';
import { type VerifyOptions, verifyChain, verifyChainSteps } from './verify-chain.js';

const authorityOf = () => makeTestCertificate({ commonName: 'authority', authority: true });

/** A certificate of an authority that nobody shows, and a number of authorities with its name. */
function withNamesakes(count: number) {
  const leaf = parseCertificate(makeTestCertificate({ issuer: authorityOf() }).der);
  const intermediates = new CertificatePool(Array.from({ length: count }, () => authorityOf().der));
  const options: VerifyOptions = {
    roots: new CertificatePool([]),
    intermediates,
    now: Date.now(),
    usage: 'serverAuth',
  };
  return { leaf, options };
}

const LIMIT = 'x509: signature check attempts limit reached while verifying certificate chain';
const UNKNOWN = /^x509: certificate signed by unknown authority/;

it('checks at most 32 signatures in a turn of the event loop', () => {
  const [few, many] = [withNamesakes(32), withNamesakes(33)];
  expect(() => verifyChain(few.leaf, few.options)).toThrow(UNKNOWN);
  expect(() => verifyChain(many.leaf, many.options)).toThrow(LIMIT);
});

it('checks at most 100 signatures in turns, as Go', () => {
  const [few, many] = [withNamesakes(100), withNamesakes(101)];
  expect(() => atOnce(verifyChainSteps(few.leaf, few.options))).toThrow(UNKNOWN);
  expect(() => atOnce(verifyChainSteps(many.leaf, many.options))).toThrow(LIMIT);
});

const authority = authorityOf();
const extension = (type: string, ...bytes: readonly number[]) => ({ type, critical: false, value: Buffer.from(bytes) });

it.each([
  ['an extension twice', ['1.2.3', '1.2.3'], 'x509: certificate contains duplicate extension with OID "1.2.3"'],
  ['two extensions', ['1.2.3', '1.2.4'], undefined],
])('judges a certificate with %s as Go', (_name, types, fault) => {
  const extensions = types.map((type) => extension(type, 0x30, 0x00));
  const { der } = makeTestCertificate({ issuer: authority, extensions });
  const parse = () => parseCertificate(der);
  if (fault === undefined) parse();
  else expect(parse).toThrow(fault);
});

it('allows every usage of a certificate whose list of usages is empty, as Go', () => {
  const extensions = [extension('2.5.29.37', 0x30, 0x00)];
  const leaf = parseCertificate(makeTestCertificate({ issuer: authority, extendedKeyUsage: [], extensions }).der);
  expect(leaf.extendedKeyUsage).toEqual([]);
  const { options } = withNamesakes(0);
  verifyChain(leaf, { ...options, roots: new CertificatePool([authority.der]) });
});

it.each([
  ['with no use', [0x03, 0x02, 0x07, 0x00], undefined],
  ['without bits', [0x03, 0x01, 0x00], undefined],
  ['of deciphering alone', [0x03, 0x03, 0x07, 0x00, 0x80], UNKNOWN],
  ['of signatures alone', [0x03, 0x02, 0x07, 0x80], UNKNOWN],
])('takes an authority whose key usage is one %s as Go', (_name, bits, refusal) => {
  const extensions = [extension('2.5.29.15', ...bits)];
  const root = makeTestCertificate({ commonName: 'root', authority: true, extensions });
  const leaf = parseCertificate(makeTestCertificate({ issuer: root }).der);
  const verify = () => verifyChain(leaf, { ...withNamesakes(0).options, roots: new CertificatePool([root.der]) });
  if (refusal === undefined) verify();
  else expect(verify).toThrow(refusal);
});
