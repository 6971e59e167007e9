import { createHash, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CertificatePurpose } from './certificate.js';
import { addressBytes, signCertificate } from './certificate.js';
import { generateKey } from './key-pair.js';

const issuer = { commonName: 'some-ca' };
const notBefore = new Date('2026-01-01T00:00:00Z');

/** Upstream's form of an identifier is the hash of the key alone; any value links the chain. */
function identifierOf(key: KeyObject): string {
  const info = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return createHash('sha1').update(info).digest('hex');
}

function make(purpose: CertificatePurpose, notAfter = new Date('2027-01-01T00:00:00Z')) {
  const issuerKey = generateKey();
  const subjectKey = purpose.type === 'ca' ? issuerKey : generateKey();
  const subject = purpose.type === 'ca' ? issuer : { commonName: 'leaf', organizations: ['a', 'b'] };
  const pem = signCertificate({ subject, subjectKey, issuer, issuerKey, notBefore, notAfter, purpose });
  return { certificate: new X509Certificate(pem), issuerKey, subjectKey };
}

describe('signCertificate', () => {
  it('makes a certificate authority that verifies itself', () => {
    const { certificate, issuerKey } = make({ type: 'ca' });
    expect({
      ca: certificate.ca,
      subject: certificate.subject,
      issuedByItself: certificate.checkIssued(certificate),
      verified: certificate.verify(certificate.publicKey),
      key: certificate.checkPrivateKey(issuerKey),
    }).toEqual({ ca: true, subject: 'CN=some-ca', issuedByItself: true, verified: true, key: true });
  });

  it('names hosts and addresses in a serving certificate', () => {
    const { certificate, subjectKey } = make({
      type: 'server',
      dnsNames: ['kubernetes', 'localhost'],
      addresses: ['10.0.0.1', '::1', 'fd00::1:2.3.4.5'],
    });
    expect({
      names: certificate.subjectAltName,
      subject: certificate.subject,
      usage: certificate.keyUsage,
      host: certificate.checkHost('kubernetes'),
      otherHost: certificate.checkHost('kubernetes.default'),
      address: certificate.checkIP('10.0.0.1'),
      key: certificate.checkPrivateKey(subjectKey),
      ca: certificate.ca,
    }).toEqual({
      names:
        'DNS:kubernetes, DNS:localhost, IP Address:10.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:FD00:0:0:0:0:1:203:405',
      subject: 'O=a\nO=b\nCN=leaf',
      usage: ['1.3.6.1.5.5.7.3.1'],
      host: 'kubernetes',
      otherHost: undefined,
      address: '10.0.0.1',
      key: true,
      ca: false,
    });
  });

  it.each([
    ['2049-12-31T23:59:59.000Z', 'Dec 31 23:59:59 2049 GMT'],
    ['2050-01-01T00:00:00.000Z', 'Jan  1 00:00:00 2050 GMT'],
  ])('writes the end %s in the form its year asks for', (end, shown) => {
    const { certificate } = make({ type: 'client' }, new Date(end));
    expect([certificate.validFrom, certificate.validTo]).toEqual(['Jan  1 00:00:00 2026 GMT', shown]);
  });

  it.each<[CertificatePurpose, string, string, string]>([
    [{ type: 'ca' }, '03020284', '30030101ff', ''],
    [{ type: 'client' }, '03020780', '3000', '0603551d25040c300a06082b06010505070302'],
    [
      { type: 'server', dnsNames: ['a'], addresses: ['10.0.0.1'] },
      '03020780',
      '3000',
      '0603551d25040c300a06082b060105050703010603551d11040b300982016187040a000001',
    ],
  ])('marks the purpose %j in extensions', (purpose, usage, constraints, others) => {
    const { certificate, issuerKey, subjectKey } = make(purpose);
    const lengthOf = (hex: string) => (hex.length / 2).toString(16).padStart(2, '0');
    const written = certificate.raw.toString('hex');
    const wanted = [
      `0603551d0f0101ff0404${usage}`,
      `0603551d130101ff04${lengthOf(constraints)}${constraints}`,
      `0603551d0e04160414${identifierOf(subjectKey)}`,
      `0603551d23041830168014${identifierOf(issuerKey)}`,
    ];
    expect(wanted.filter((extension) => !written.includes(extension))).toEqual([]);
    // Each further extension is a sequence of its own.
    const found = [...written.matchAll(/30..(0603551d(?:25|11)04(..).*?)(?=30..0603551d|300a06082a8648ce3d)/g)];
    expect(found.map((match) => match[1]).join('')).toBe(others);
  });

  it('takes a public key, and names a user by UID after the common name', () => {
    const [issuerKey, subjectKey] = [generateKey(), generateKey()];
    const subject = { commonName: 'leaf', uid: 'u-1' };
    const pem = signCertificate({
      subject,
      issuer,
      issuerKey,
      notBefore,
      notAfter: new Date('2027-01-01T00:00:00Z'),
      subjectKey: createPublicKey(subjectKey),
      purpose: { type: 'client' },
    });
    const certificate = new X509Certificate(pem);
    expect([certificate.subject, certificate.checkPrivateKey(subjectKey)]).toEqual([
      'CN=leaf\n1.3.6.1.4.1.57683.2=u-1',
      true,
    ]);
    const [head, ...lines] = pem.trimEnd().split('\n');
    expect([head, lines.pop(), lines.every((line) => line.length <= 64), lines[0]?.length]).toEqual([
      ...['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----', true, 64],
    ]);
  });

  it('has serial numbers of 16 bytes, which are positive', () => {
    const serials = Array.from({ length: 30 }, () => make({ type: 'ca' }).certificate.serialNumber);
    expect(serials.filter((serial) => !/^[4-7][0-9A-F]{31}$/.test(serial))).toEqual([]);
  });

  it('never repeats a serial number', () => {
    const serials = new Set(Array.from({ length: 50 }, () => make({ type: 'ca' }).certificate.serialNumber));
    expect(serials.size).toBe(50);
  });
});

describe('addressBytes', () => {
  it.each([
    ['127.0.0.1', '7f000001'],
    ['::', '00000000000000000000000000000000'],
    ['::1', '00000000000000000000000000000001'],
    ['2001:db8::ff00:42:8329', '20010db8000000000000ff0000428329'],
    ['::ffff:1.2.3.4', '00000000000000000000ffff01020304'],
    ['::ffff:192.168.100.200', '00000000000000000000ffffc0a864c8'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
  ])('%s', (address, hex) => {
    expect(addressBytes(address).toString('hex')).toBe(hex);
  });

  it('refuses what is not an address', () => {
    expect(() => addressBytes('localhost')).toThrow(new RangeError('"localhost" is not an IP address'));
  });
});
