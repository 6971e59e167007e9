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
