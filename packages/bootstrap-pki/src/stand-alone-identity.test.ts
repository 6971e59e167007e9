import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempDisposableSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestLogger, throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { expect, it } from 'vitest';
import { signAuthority } from './certificate-authority.js';
import { issueClientCertificate } from './client-certificate.js';
import { generateKey, type KeyPair, keyToPem } from './key-pair.js';
import { ensureStandAloneIdentity, newStandAloneIdentity, type StandAloneIdentity } from './stand-alone-identity.js';

const now = new Date('2026-06-01T00:00:00Z');
const names = { dnsNames: ['here'], addresses: ['192.0.2.1'] };

function described({ authority, serving, admin }: StandAloneIdentity) {
  const issuer = new X509Certificate(authority);
  return {
    authority: [issuer.subject, issuer.validFrom, issuer.validTo],
    serving: issuedBy(issuer, serving),
    admin: issuedBy(issuer, admin),
  };
}

function issuedBy(issuer: X509Certificate, { certificate, key }: KeyPair) {
  const parsed = new X509Certificate(certificate);
  const isOurs = parsed.verify(issuer.publicKey) && parsed.checkPrivateKey(createPrivateKey(key));
  return [isOurs, parsed.subject, parsed.subjectAltName, parsed.keyUsage, parsed.validFrom, parsed.validTo];
}

const expected = {
  authority: ['CN=kube-apiserver-ca', 'May 31 23:00:00 2026 GMT', 'May 29 00:00:00 2036 GMT'],
  serving: [
    ...[true, 'CN=apiserver', 'DNS:here, IP Address:192.0.2.1', ['1.3.6.1.5.5.7.3.1']],
    ...['May 31 23:00:00 2026 GMT', 'Jun  1 00:00:00 2027 GMT'],
  ],
  admin: [
    ...[true, 'O=system:masters\nCN=admin', undefined, ['1.3.6.1.5.5.7.3.2']],
    ...['May 31 23:00:00 2026 GMT', 'Jun  1 00:00:00 2027 GMT'],
  ],
};

it('makes an identity in memory', () => {
  expect(described(newStandAloneIdentity(names, now))).toEqual(expected);
});

it('keeps an identity in a folder of its owner', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'stand-alone-'));
  const directory = join(folder.path, 'pki');
  const first = await ensureStandAloneIdentity(directory, names, { now, logger: throwingLogger });
  expect(described(first)).toEqual(expected);
  expect([statSync(directory).mode & 0o777, readdirSync(directory).sort()]).toEqual([
    0o700,
    ['admin.crt', 'admin.key', 'apiserver.crt', 'apiserver.key', 'ca.crt', 'ca.key'],
  ]);
  expect(await ensureStandAloneIdentity(directory, names, { now, logger: throwingLogger })).toEqual(first);
});

it('says what is missing if it cannot sign', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'stand-alone-'));
  const context = { now, logger: throwingLogger };
  await ensureStandAloneIdentity(folder.path, names, context);
  const file = (name: string) => join(folder.path, name);
  rmSync(file('ca.key'));
  rmSync(file('apiserver.key'));
  await expect(ensureStandAloneIdentity(folder.path, names, context)).rejects.toMatchObject({
    message:
      `${file('ca.key')}: is missing, and ${file('apiserver.crt')} has to be signed with it; ` +
      `put it back, or remove ${file('ca.crt')} to have a new certificate authority made`,
  });
  const { logger, lines } = createTestLogger();
  const late = { now: new Date('2036-05-01T00:00:00Z'), logger };
  await expect(ensureStandAloneIdentity(folder.path, names, late)).rejects.toMatchObject({
    message:
      `${file('ca.crt')}: is valid from May 31 23:00:00 2026 GMT to May 29 00:00:00 2036 GMT and its private key is not in ` +
      `${file('ca.key')}; put a new one in place, or remove it to have a new certificate authority made`,
  });
  expect(lines).toEqual([]);
});

it('issues a client certificate that ends with its authority', () => {
  const validTo = (time: string) => {
    const issuer = signed(new Date(time));
    const { certificate } = issueClientCertificate(issuer, { commonName: 'jane', organizations: ['devs'] }, now);
    const parsed = new X509Certificate(certificate);
    expect([parsed.subject, parsed.keyUsage, parsed.verify(new X509Certificate(issuer.certificate).publicKey)]).toEqual(
      [...['O=devs\nCN=jane', ['1.3.6.1.5.5.7.3.2'], true]],
    );
    return parsed.validTo;
  };
  expect([validTo('2026-06-01T00:00:00Z'), validTo('2016-10-01T00:00:00Z')]).toEqual([
    'Jun  1 00:00:00 2027 GMT',
    'Sep 29 00:00:00 2026 GMT',
  ]);
});

function signed(made: Date): KeyPair {
  const key = generateKey();
  return { certificate: signAuthority(key, made), key: keyToPem(key) };
}
