import { Buffer } from 'node:buffer';
import { messageOf } from '@apiserver/apimachinery/errors';
import { makeTestCertificate, type TestCertificate, testKeyUsage } from '@apiserver/apimachinery/testing';
import { CertificatePool, parseCertificate, verifyChain } from '@apiserver/apimachinery/x509';
import { it } from 'vitest';
import type { Random } from '../watch/random.ts';
import { compareCases } from './compare-cases.ts';
import { describeUpstream } from './upstream-program.ts';

interface CertificateCase {
  /** DER in Base64. */
  readonly chain: readonly string[];
  readonly roots: readonly string[];
  readonly server: boolean;
  readonly host: string;
  readonly now: number;
}

const NOW = Date.parse('2026-06-01T12:00:00Z');
const HOUR = 3_600_000;
/** Few names and keys, so that certificates fit by accident. */
const NAMES = ['a', 'b', undefined] as const;
const HOSTS = ['a.example', '*.example', 'A.Example', 'a.example.', '10.0.0.1', 'a_b', '-a', '*', ''] as const;
const ASKED_HOSTS = [...HOSTS, '[::1]', '::ffff:10.0.0.1', 'a', '10.0.0.1.', 'x.y.example'] as const;
const USAGES = [testKeyUsage.clientAuth, testKeyUsage.serverAuth, '2.5.29.37.0', '1.2.3.4'] as const;
const CONSTRAINED = ['a.example', 'example', '.example', 'other', ''] as const;

function der(tag: number, ...parts: readonly (Buffer | number)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));
  return Buffer.concat([Buffer.from([tag, content.length]), content]);
}

/** Extensions that name keys and limit names. */
function randomExtensions(random: Random) {
  const key = () => Buffer.from([random.below(2)]);
  const limit = () => der(random.of([0xa0, 0xa1]), der(0x30, der(0x82, Buffer.from(random.of(CONSTRAINED)))));
  return [
    ...(random.chance(0.4) ? [{ type: '2.5.29.14', critical: false, value: der(0x04, key()) }] : []),
    ...(random.chance(0.4) ? [{ type: '2.5.29.35', critical: false, value: der(0x30, der(0x80, key())) }] : []),
    ...(random.chance(0.15) ? [{ type: '2.5.29.30', critical: random.chance(0.5), value: der(0x30, limit()) }] : []),
    ...(random.chance(0.15)
      ? [{ type: '2.5.29.15', critical: true, value: der(0x03, 1, random.of([0x06, 0xa0, 0])) }]
      : []),
  ];
}

/** Keys take long to make. */
const newKey = () => makeTestCertificate().publicKey;
const KEYS = [newKey(), newKey(), newKey()] as const;
const rsaRoot = (rsa: number) => makeTestCertificate({ commonName: 'a', authority: true, rsa });
const RSA_ROOTS = [rsaRoot(512), rsaRoot(1024)] as const;

function anyOf(random: Random, made: readonly TestCertificate[]): TestCertificate | undefined {
  return made[random.below(made.length)];
}

function randomCertificate(random: Random, issuers: readonly TestCertificate[], isLeaf: boolean): TestCertificate {
  const issuer = random.chance(0.85) ? anyOf(random, issuers) : undefined;
  const name = random.of(NAMES);
  const isRsa = issuer?.privateKey.asymmetricKeyType === 'rsa';
  return makeTestCertificate({
    ...(name !== undefined && { commonName: name }),
    ...(random.chance(0.2) && { organizations: ['o'] }),
    ...(issuer !== undefined && { issuer }),
    ...(issuer !== undefined && isLeaf && { publicKey: random.of(KEYS) }),
    authority: isLeaf ? random.chance(0.05) : random.chance(0.9),
    ...(random.chance(0.2) && { pathLength: random.below(2) }),
    ...(random.chance(0.3) && { extendedKeyUsage: [random.of(USAGES)] }),
    ...(random.chance(0.07) && { notAfter: new Date(NOW + random.of([-1, 0, 1]) * HOUR) }),
    ...(random.chance(0.07) && { notBefore: new Date(NOW + random.of([-1, 0, 1]) * HOUR) }),
    ...(random.chance(isLeaf ? 0.8 : 0.1) && {
      hosts: Array.from({ length: random.below(4) }, () => random.of(HOSTS)),
    }),
    digest: random.chance(0.06) ? (isRsa ? random.of(['md5', 'sha1']) : 'sha1') : 'sha256',
    ...(random.chance(0.05) && { version: 1 as const }),
    ...(random.chance(0.03) && { unknownCriticalExtension: '1.2.3.4' }),
    extensions: randomExtensions(random),
  });
}

function randomCase(random: Random): CertificateCase {
  const authorities: TestCertificate[] = random.chance(0.1) ? [random.of(RSA_ROOTS)] : [];
  for (let left = 1 + random.below(5); left > 0; left--) {
    authorities.push(randomCertificate(random, authorities, false));
  }
  const trusted = random.chance(0.05) ? anyOf(random, authorities) : undefined;
  const leaf = trusted ?? randomCertificate(random, authorities, true);
  const base64 = (made: readonly TestCertificate[]) => made.map((one) => Buffer.from(one.der).toString('base64'));
  return {
    chain: base64([leaf, ...authorities.filter(() => random.chance(0.6))]),
    roots: base64(authorities.filter((_, index) => random.chance(index < 2 ? 0.7 : 0.2))),
    server: random.chance(0.7),
    host: random.chance(0.6) ? random.of(ASKED_HOSTS) : '',
    now: NOW,
  };
}

const bytesOf = (texts: readonly string[]) => texts.map((text) => Buffer.from(text, 'base64'));

function ours({ chain, roots, server, host, now }: CertificateCase): object {
  const [leaf, ...intermediates] = bytesOf(chain).map(parseCertificate);
  if (leaf === undefined) throw new Error('a chain has a certificate');
  try {
    verifyChain(leaf, {
      roots: new CertificatePool(bytesOf(roots)),
      intermediates: new CertificatePool(intermediates),
      now,
      usage: server ? 'serverAuth' : 'clientAuth',
      ...(host !== '' && { host }),
    });
    return {};
  } catch (error) {
    return { error: messageOf(error) };
  }
}

describeUpstream('certificates', (upstream) => {
  it('are verified as by Go', () => compareCases(upstream(), { area: 'certificate', randomCase, ours }));
});
