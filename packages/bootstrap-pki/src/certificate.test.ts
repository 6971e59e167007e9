import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CertificatePurpose } from './certificate.js';
import { addressBytes, signCertificate } from './certificate.js';
import { generateKey } from './key-pair.js';

const issuer = { commonName: 'some-ca' };
const notBefore = new Date('2026-01-01T00:00:00Z');

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
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
  ])('%s', (address, hex) => {
    expect(addressBytes(address).toString('hex')).toBe(hex);
  });

  it('refuses what is not an address', () => {
    expect(() => addressBytes('localhost')).toThrow(RangeError);
  });
});
