import { createHash, createPublicKey } from 'node:crypto';
import { parseCertificateBundle } from '@apiserver/apimachinery/x509';
import type { AuthenticationResponse } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import {
  makeTestCertificate,
  type TestCertificate,
  type TestCertificateOptions,
  testAuthenticationExchange,
  testKeyUsage,
} from '../testing/index.js';
import { createX509Authenticator } from './x509-authenticator.js';

const now = Date.parse('2026-06-01T12:00:00Z');
const root = makeTestCertificate({ commonName: 'root', authority: true });
const otherRoot = makeTestCertificate({ commonName: 'root', authority: true });

async function authenticate(chain: readonly TestCertificate[], clientCAs = root.certificate) {
  const { exchange } = testAuthenticationExchange({
    certificates: { chain: chain.map(({ der }) => der), memo: new Map() },
  });
  try {
    return await createX509Authenticator({ clientCAs: () => clientCAs, now: () => now }).authenticateRequest(exchange);
  } catch (error) {
    return (error as Error).message.replace(/^verifying certificate SN=\d+ failed: /, '');
  }
}

const fingerprint = (certificate: TestCertificate) =>
  `X509SHA256=${createHash('sha256').update(certificate.der).digest('hex')}`;

function client(options: TestCertificateOptions = {}): TestCertificate {
  return makeTestCertificate({ commonName: 'alice', organizations: ['dev', 'ops'], issuer: root, ...options });
}

describe('createX509Authenticator', () => {
  it('reads each bundle of authorities once, as the options say', async () => {
    const read: string[] = [];
    let clientCAs = root.certificate;
    const authenticator = createX509Authenticator({
      clientCAs: () => clientCAs,
      now: () => now,
      parseBundle: (pem) => {
        read.push(pem);
        return parseCertificateBundle(pem);
      },
    });
    const { exchange } = testAuthenticationExchange({ certificates: { chain: [client().der], memo: new Map() } });
    for (let request = 0; request < 2; request++) {
      expect(await authenticator.authenticateRequest(exchange)).toMatchObject({ user: { name: 'alice' } });
    }
    clientCAs = otherRoot.certificate;
    expect(() => authenticator.authenticateRequest(exchange)).toThrow('verifying certificate');
    expect(read).toEqual([root.certificate, otherRoot.certificate]);
  });

  it('reads the user from the subject', async () => {
    const leaf = client({ attributes: [['1.3.6.1.4.1.57683.2', 'uid-7']] });
    expect(await authenticate([leaf])).toEqual({
      user: {
        name: 'alice',
        uid: 'uid-7',
        groups: ['dev', 'ops'],
        extra: { 'authentication.kubernetes.io/credential-id': [fingerprint(leaf)] },
      },
    });
  });

  it('ignores UIDs, also wrong ones, if it does not read them', async () => {
    const [uid, other] = [['1.3.6.1.4.1.57683.2', 'uid-7'] as const, ['1.3.6.1.4.1.57683.2', 'uid-8'] as const];
    const { der } = client({ attributes: [uid, other] });
    const { exchange } = testAuthenticationExchange({ certificates: { chain: [der], memo: new Map() } });
    const options = { clientCAs: () => root.certificate, now: () => now, readsUid: false };
    const response = await createX509Authenticator(options).authenticateRequest(exchange);
    expect(response?.user).toMatchObject({ name: 'alice' });
    expect(response?.user).not.toHaveProperty('uid');
  });

  it('escapes separators in names', async () => {
    const leaf = client({ commonName: 'a,O=system:masters\nO=x', organizations: ['b/ü+"'] });
    expect(await authenticate([leaf])).toMatchObject({
      user: { name: 'a,O=system:masters\nO=x', groups: ['b/ü+"'] },
    });
  });

  it('has no opinion without a certificate, CAs, or a common name', async () => {
    const { exchange } = testAuthenticationExchange();
    const authenticator = createX509Authenticator({ clientCAs: () => root.certificate, now: () => now });
    expect(await authenticator.authenticateRequest(exchange)).toBeUndefined();
    expect(await authenticate([client()], '')).toBeUndefined();
    expect(await authenticate([makeTestCertificate({ organizations: ['dev'], issuer: root })])).toBeUndefined();
  });

  const intermediate = makeTestCertificate({ commonName: 'between', authority: true, issuer: root });
  const narrow = makeTestCertificate({ commonName: 'narrow', authority: true, pathLength: 0, issuer: root });
  const below = makeTestCertificate({ commonName: 'below', authority: true, issuer: narrow });
  const serverOnly = makeTestCertificate({
    commonName: 'server-only',
    authority: true,
    extendedKeyUsage: [testKeyUsage.serverAuth],
    issuer: root,
  });
  const good: readonly [string, readonly TestCertificate[]][] = [
    ['signed by the root', [client()]],
    ['signed by an intermediate that the client sends', [client({ issuer: intermediate }), intermediate]],
    ['without extended key usage', [client({ extendedKeyUsage: [] })]],
    ['good for any use', [client({ extendedKeyUsage: ['2.5.29.37.0'] })]],
    ['with certificates beside the path', [client({ issuer: intermediate }), otherRoot, narrow, intermediate]],
    ['with a path length that is enough', [client({ issuer: narrow }), narrow]],
  ];
  it.each(good)('takes a certificate %s', async (_, chain) => {
    expect(await authenticate(chain)).toMatchObject({ user: { name: 'alice' } });
  });

  const unknown = 'x509: certificate signed by unknown authority';
  const because = (reason: string, candidate: string) =>
    `${unknown} (possibly because of "${reason}" while trying to verify candidate authority certificate "${candidate}")`;
  const bad: readonly [string, readonly TestCertificate[], string][] = [
    [
      'of an authority with the name of another',
      [client({ issuer: otherRoot })],
      because('x509: ECDSA verification failure', 'root'),
    ],
    ['of an unknown authority', [client({ issuer: makeTestCertificate({ commonName: 'other' }) })], unknown],
    [
      'signed by SHA-1',
      [client({ digest: 'sha1' })],
      because('x509: cannot verify signature: insecure algorithm ECDSA-SHA1', 'root'),
    ],
    ['signed by itself', [makeTestCertificate({ commonName: 'alice' })], unknown],
    ['whose intermediate is missing', [client({ issuer: intermediate })], unknown],
    [
      'that has expired',
      [client({ notAfter: new Date(now - 1000) })],
      'x509: certificate has expired or is not yet valid: current time 2026-06-01T12:00:00Z is after 2026-06-01T11:59:59Z',
    ],
    [
      'that is not yet valid',
      [client({ notBefore: new Date(now + 1000) })],
      'x509: certificate has expired or is not yet valid: current time 2026-06-01T12:00:00Z is before 2026-06-01T12:00:01Z',
    ],
    [
      'for servers only',
      [client({ extendedKeyUsage: [testKeyUsage.serverAuth] })],
      'x509: certificate specifies an incompatible key usage',
    ],
    [
      'below an authority for servers only',
      [client({ issuer: serverOnly }), serverOnly],
      'x509: certificate specifies an incompatible key usage',
    ],
    [
      'below a path length of 0',
      [client({ issuer: below }), below, narrow],
      'x509: too many intermediates for path length constraint',
    ],
    [
      'with a critical extension nobody knows',
      [client({ unknownCriticalExtension: '1.2.3.4' })],
      'x509: unhandled critical extension',
    ],
    [
      'with two UIDs',
      [
        client({
          attributes: [
            ['1.3.6.1.4.1.57683.2', 'a'],
            ['1.3.6.1.4.1.57683.2', 'b'],
          ],
        }),
      ],
      'expected 1 UID, but found multiple',
    ],
  ];
  it.each(bad)('refuses a certificate %s', async (_, chain, message) => {
    expect(await authenticate(chain)).toBe(message);
  });

  it('refuses a certificate with a large RSA key, as Go', async () => {
    const n = Buffer.alloc(1_025, 0xff).toString('base64url');
    const publicKey = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' });
    const refusal = 'tls: client sent certificate containing RSA key larger than 8192 bits';
    expect(await authenticate([client({ publicKey })])).toContain(refusal);
  });

  it('refuses a leaf issued by a non-authority even with the right signature', async () => {
    const mallory = client({ commonName: 'mallory' });
    expect(await authenticate([client({ issuer: mallory }), mallory])).toBe(
      because('x509: invalid signature: parent certificate cannot sign this kind of certificate', 'mallory'),
    );
  });

  it('looks at the use of a certificate that is trusted itself', async () => {
    const own = makeTestCertificate({ commonName: 'own', extendedKeyUsage: [testKeyUsage.serverAuth] });
    expect(await authenticate([own], own.certificate)).toBe('x509: certificate specifies an incompatible key usage');
  });

  it('finds an authority by its name, whatever key the certificate names', async () => {
    const names = (type: string, value: Buffer) => [{ type, critical: false, value }];
    const authority = makeTestCertificate({
      commonName: 'root',
      authority: true,
      extensions: names('2.5.29.14', Buffer.from('040101', 'hex')),
    });
    const leaf = client({ issuer: authority, extensions: names('2.5.29.35', Buffer.from('3003800102', 'hex')) });
    expect(await authenticate([leaf], authority.certificate)).toMatchObject({ user: { name: 'alice' } });
  });

  it('verifies a long chain in turns, once for all requests of a connection', async () => {
    const link = makeTestCertificate({ commonName: 'link', authority: true, issuer: otherRoot });
    const links = Array.from({ length: 60 }, () =>
      makeTestCertificate({ commonName: 'link', authority: true, issuer: otherRoot }),
    );
    const last = makeTestCertificate({ commonName: 'link', authority: true, issuer: root });
    const leaf = client({ issuer: last });
    const chain = [leaf, link, ...links, last].map(({ der }) => der);
    let read = 0;
    const certificates = { chain, memo: new Map() };
    const identify = () => ({ user: { name: String(++read), groups: [], extra: {} } });
    const authenticator = createX509Authenticator({ clientCAs: () => root.certificate, now: () => now, identify });
    const { exchange } = testAuthenticationExchange({ certificates });
    const outcomes = [1, 2].map(() => authenticator.authenticateRequest(exchange));
    expect(outcomes.map((outcome) => outcome instanceof Promise)).toEqual([true, true]);
    const users = [...(await Promise.all(outcomes)), authenticator.authenticateRequest(exchange)];
    expect(users.map((outcome) => (outcome as AuthenticationResponse).user.name)).toEqual(['1', '1', '1']);
  });

  it('verifies a chain again after the clock was set back', () => {
    let time = now;
    const authenticator = createX509Authenticator({ clientCAs: () => root.certificate, now: () => time });
    const leaf = client({ notBefore: new Date(now - 60_000), notAfter: new Date(now + 60_000) });
    const { exchange } = testAuthenticationExchange({ certificates: { chain: [leaf.der], memo: new Map() } });
    const outcomeAt = (when: number) => {
      time = when;
      try {
        return (authenticator.authenticateRequest(exchange) as AuthenticationResponse).user.name;
      } catch (error) {
        return (error as Error).message.replace(/^.* is (before|after) .*$/, '$1');
      }
    };
    const times = [now + 3_600_000, now, now - 3_600_000, now];
    expect(times.map(outcomeAt)).toEqual(['after', 'alice', 'before', 'alice']);
  });

  it('verifies a chain once per connection, and again if the CAs change or the certificate expires', async () => {
    let bundle = root.certificate;
    let time = now;
    const authenticator = createX509Authenticator({ clientCAs: () => bundle, now: () => time });
    const leaf = client({ notAfter: new Date(now + 60_000) });
    const { exchange } = testAuthenticationExchange({ certificates: { chain: [leaf.der], memo: new Map() } });
    const first = await authenticator.authenticateRequest(exchange);
    expect(await authenticator.authenticateRequest(exchange)).toBe(first);
    bundle = otherRoot.certificate;
    expect(() => authenticator.authenticateRequest(exchange)).toThrow(unknown);
    bundle = root.certificate;
    expect(await authenticator.authenticateRequest(exchange)).toEqual(first);
    time = now + 120_000;
    expect(() => authenticator.authenticateRequest(exchange)).toThrow('has expired');
  });
});
