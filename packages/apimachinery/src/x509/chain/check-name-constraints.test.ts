import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { makeTestCertificate } from '../../testing/index.js';
import { parseCertificate } from './certificate.js';
import { CertificatePool } from './certificate-pool.js';
import { verifyChain } from './verify-chain.js';

const now = Date.parse('2026-06-01T12:00:00Z');
const TAGS = { email: 0x81, dns: 0x82, directory: 0xa4, uri: 0x86, ip: 0x87, id: 0x88 } as const;

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

/** `kind:text`; addresses and ranges are hexadecimal. */
function generalName(name: string): Buffer {
  const [, kind = '', text = ''] = /^(\w+):(.*)$/s.exec(name) ?? [];
  const content = kind === 'ip' || kind === 'directory' ? Buffer.from(text, 'hex') : Buffer.from(text);
  return der(TAGS[kind as keyof typeof TAGS], content);
}

const names = (...all: readonly string[]) => der(0x30, ...all.map(generalName));
const subtrees = (tag: number, all: readonly string[]) => der(tag, ...all.map((name) => der(0x30, generalName(name))));

interface Constraints {
  readonly permitted?: readonly string[];
  readonly excluded?: readonly string[];
  readonly critical?: boolean;
}

function constraints({ permitted, excluded, critical = true }: Constraints) {
  const parts = [permitted && subtrees(0xa0, permitted), excluded && subtrees(0xa1, excluded)];
  return { type: '2.5.29.30', critical, value: der(0x30, ...parts.filter((part) => part !== undefined)) };
}

interface Chain {
  readonly root?: Constraints;
  readonly intermediate?: Constraints;
  readonly intermediateNames?: readonly string[];
  readonly leaf?: readonly string[];
  readonly isCritical?: boolean;
}

/** "" for a chain that is accepted. */
function verdict(chain: Chain): string {
  const { leaf, isCritical = false, intermediateNames } = chain;
  const alternative = (all: readonly string[] | undefined) =>
    all === undefined ? [] : [{ type: '2.5.29.17', critical: isCritical, value: names(...all) }];
  const limits = (given: Constraints | undefined) => (given === undefined ? [] : [constraints(given)]);
  const root = makeTestCertificate({ commonName: 'root', authority: true, extensions: limits(chain.root) });
  const intermediate = makeTestCertificate({
    commonName: 'middle',
    authority: true,
    issuer: root,
    extensions: [...limits(chain.intermediate), ...alternative(intermediateNames)],
  });
  const client = makeTestCertificate({ commonName: 'leaf', issuer: intermediate, extensions: alternative(leaf) });
  const [parsedRoot, parsedIntermediate, parsedLeaf] = [root, intermediate, client].map((made) =>
    parseCertificate(made.der),
  );
  if (parsedLeaf === undefined || parsedRoot === undefined || parsedIntermediate === undefined) {
    throw new Error('three');
  }
  try {
    const [roots, intermediates] = [new CertificatePool([parsedRoot]), new CertificatePool([parsedIntermediate])];
    verifyChain(parsedLeaf, { roots, intermediates, now, usage: 'clientAuth' });
    return '';
  } catch (error) {
    return (error as Error).message.replace(
      /^x509: a root or intermediate certificate is not authorized to sign for this name: /,
      '',
    );
  }
}

// The verdicts and the messages are those of Go 1.26.
describe('names below constraints', () => {
  it.each<[string, Constraints, readonly string[], string]>([
    [
      'a name without constraints of its kind',
      { permitted: ['dns:a.com'] },
      ['email:me@b.com', 'uri:x:y'],
      'URI with empty host ("x:y") cannot be matched against constraints',
    ],
    ['a permitted domain', { permitted: ['dns:A.com'] }, ['dns:a.COM', 'dns:b.a.com'], ''],
    [
      'another domain',
      { permitted: ['dns:a.com'] },
      ['dns:xa.com'],
      'DNS name "xa.com" is not permitted by any constraint',
    ],
    ['a subdomain of a dotted one', { permitted: ['dns:.a.com'] }, ['dns:b.a.com'], ''],
    [
      'the domain of a dotted one',
      { permitted: ['dns:.a.com'] },
      ['dns:a.com'],
      'DNS name "a.com" is not permitted by any constraint',
    ],
    [
      'a domain between others',
      { permitted: ['dns:a.com', 'dns:a-a.com', 'dns:a.a.com'] },
      ['dns:x.a.a.com', 'dns:a-a.com'],
      '',
    ],
    [
      'an excluded domain',
      { excluded: ['dns:a.com'] },
      ['dns:x.A.com'],
      'DNS name "x.A.com" is excluded by constraint "a.com"',
    ],
    [
      'a wildcard above an excluded one',
      { excluded: ['dns:x.A.com'] },
      ['dns:*.a.com'],
      'DNS name "*.a.com" is excluded by constraint "x.a.com"',
    ],
    [
      'a wildcard above a permitted one',
      { permitted: ['dns:x.a.com'] },
      ['dns:*.a.com'],
      'DNS name "*.a.com" is not permitted by any constraint',
    ],
    ['everything permitted', { permitted: ['dns:'] }, ['dns:a'], ''],
    ['everything excluded', { excluded: ['dns:'] }, ['dns:a'], 'DNS name "a" is excluded by constraint ""'],
    [
      'both',
      { permitted: ['dns:com'], excluded: ['dns:a.com'] },
      ['dns:b.com', 'dns:a.com'],
      'DNS name "a.com" is excluded by constraint "a.com"',
    ],
    ['a malformed name', { permitted: ['dns:a.com'] }, ['dns:a..com'], 'x509: cannot parse dnsName "a..com"'],
    ['an address', { permitted: ['ip:0a000000ff000000'] }, ['ip:0a010203'], ''],
    [
      'another address',
      { permitted: ['ip:0a000000ff000000'] },
      ['ip:0b010203'],
      'IP address "11.1.2.3" is not permitted by any constraint',
    ],
    [
      'an address in the second range',
      { excluded: ['ip:0a000000ffff0000', 'ip:0a020000ffff0000'] },
      ['ip:0a020001'],
      'IP address "10.2.0.1" is excluded by constraint "10.2.0.0/16"',
    ],
    [
      'an address of IPv6 below ranges of IPv4',
      { permitted: ['ip:0a000000ff000000'] },
      [`ip:${'00'.repeat(16)}`],
      'IP address "::" is not permitted by any constraint',
    ],
    [
      'a mapped address',
      { permitted: [`ip:${'00'.repeat(32)}`] },
      [`ip:${'00'.repeat(10)}ffff0a000001`],
      'IP address "10.0.0.1" is not permitted by any constraint',
    ],
    [
      'a mapped range',
      { excluded: [`ip:${'00'.repeat(10)}ffff0a000000${'ff'.repeat(13)}000000`] },
      [`ip:${'00'.repeat(10)}ffff0a000001`],
      'IP address "10.0.0.1" is excluded by constraint "10.0.0.0/8"',
    ],
    ['a host of a URI', { permitted: ['uri:a.com'] }, ['uri:spiffe://user@b.A.com:80/x?y'], ''],
    [
      'another host',
      { excluded: ['uri:.a.com'] },
      ['uri:http://b.a.com'],
      'URI "http://b.a.com" is excluded by constraint ".a.com"',
    ],
    [
      'an address as a host',
      { excluded: ['uri:a.com'] },
      ['uri:http://[::1]:80/'],
      'URI with IP ("http://[::1]:80/") cannot be matched against constraints',
    ],
    [
      'two ports',
      { excluded: ['uri:a.com'] },
      ['uri:x://a:b:80/'],
      'cannot parse URI host "a:b:80": address a:b:80: too many colons in address',
    ],
    ['a mailbox', { permitted: ['email:"me"@A.com'] }, ['email:me@a.com'], ''],
    [
      'a mailbox of another case',
      { permitted: ['email:me@a.com'] },
      ['email:Me@a.com'],
      'email address "Me@a.com" is not permitted by any constraint',
    ],
    [
      'a mailbox at a domain',
      { excluded: ['email:you@a.com', 'email:a.com'] },
      ['email:"m e"@b.a.com'],
      'email address "m e@b.a.com" is excluded by constraint "a.com"',
    ],
    ['a malformed mailbox', { permitted: ['dns:a.com'] }, ['email:.me@a.com'], 'cannot parse rfc822Name ".me@a.com"'],
  ])('%s', (_what, root, leaf, expected) => {
    expect(verdict({ root, leaf })).toBe(expected);
  });

  it('constrain all certificates below them', () => {
    const permitted = { permitted: ['dns:a.com'] };
    const refused = 'DNS name "b.com" is not permitted by any constraint';
    const both = { root: { permitted: ['dns:com'] }, intermediate: permitted };
    expect([
      verdict({ intermediate: permitted, leaf: ['dns:b.com'] }),
      verdict({ root: permitted, intermediateNames: ['dns:b.com'], leaf: ['dns:a.com'] }),
      verdict({ intermediate: permitted, intermediateNames: ['dns:b.com'], leaf: ['dns:a.com'] }),
      verdict({ ...both, leaf: ['dns:a.com'] }),
      verdict({ ...both, leaf: ['dns:b.com'] }),
      verdict({ root: { ...permitted, critical: false }, leaf: ['dns:b.com'] }),
      verdict({ root: permitted }),
    ]).toEqual([refused, refused, '', '', refused, refused, '']);
  });
});

describe('extensions that cannot be used', () => {
  it.each<[string, Chain, string]>([
    [
      'critical constraints of other names',
      { root: { permitted: ['dns:a', 'directory:3000'] } },
      'x509: unhandled critical extension',
    ],
    [
      'constraints of other names',
      { root: { permitted: ['dns:a', 'directory:3000'], critical: false }, leaf: ['dns:a'] },
      '',
    ],
    ['critical names of other kinds', { leaf: ['id:*'], isCritical: true }, 'x509: unhandled critical extension'],
    ['names of other kinds', { leaf: ['id:*'] }, ''],
    ['no constraints', { root: {} }, 'x509: empty name constraints extension'],
    ['empty constraints', { root: { permitted: [], excluded: [] } }, 'x509: empty name constraints extension'],
    ['a malformed domain', { root: { permitted: ['dns:a.'] } }, 'x509: failed to parse dnsName constraint "a."'],
    ['a malformed mailbox', { root: { permitted: ['email:@a'] } }, 'x509: failed to parse rfc822Name constraint "@a"'],
    [
      'an address of a host',
      { root: { permitted: ['uri:::1'] } },
      'x509: failed to parse URI constraint "::1": cannot be IP address',
    ],
    [
      'a range without a mask',
      { root: { permitted: ['ip:0a000000'] } },
      'x509: IP constraint contained value of length 4',
    ],
    [
      'a mask with gaps',
      { root: { permitted: ['ip:0a000000ff00ff00'] } },
      'x509: IP constraint contained invalid mask ff00ff00',
    ],
    [
      'other than ASCII',
      { root: { permitted: ['dns:é'] } },
      'x509: invalid constraint value: x509: "é" cannot be encoded as an IA5String',
    ],
    ['an address of three bytes', { leaf: ['ip:0a0000'] }, 'x509: cannot parse IP address of length 3'],
    ['a name that is not ASCII', { leaf: ['dns:é'] }, 'x509: SAN dNSName is malformed'],
    [
      'an escape in a host',
      { leaf: ['uri:x://%41.com/'] },
      'x509: cannot parse URI "x://%41.com/": parse "x://%41.com/": invalid URL escape "%41"',
    ],
    ['a host that ends with a dot', { leaf: ['uri:x://a./'] }, 'x509: cannot parse URI "x://a./": invalid domain'],
    [
      'two colons of the web',
      { leaf: ['uri:http://a:b:80/'] },
      'x509: cannot parse URI "http://a:b:80/": parse "http://a:b:80/": invalid port ":b:80" after host',
    ],
  ])('%s', (_what, chain, expected) => {
    expect(verdict(chain)).toBe(expected);
  });
});
