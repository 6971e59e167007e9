import type { KeyObject } from 'node:crypto';
import { createHash, createPublicKey, randomBytes, sign } from 'node:crypto';
import {
  bitString,
  boolean,
  explicit,
  implicit,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  unsignedInteger,
  utf8String,
} from './der.js';
import { ipFamily } from './ip-family.js';

/**
 * The subject of a certificate. Kubernetes reads a client's name from the common name and its groups from the
 * organizations.
 */
export interface DistinguishedName {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** The UID of a user. Upstream: k8s.io/apiserver/pkg/authentication/request/x509 */
  readonly uid?: string;
}

/** The purpose of a certificate: a CA signs, a server is reached by its names, a client proves a user. */
export type CertificatePurpose =
  | { readonly type: 'ca' }
  | { readonly type: 'server'; readonly dnsNames: readonly string[]; readonly addresses: readonly string[] }
  | { readonly type: 'client' };

/** The content of a certificate, and the key that signs it. */
export interface CertificateRequest {
  readonly subject: DistinguishedName;
  /** Public or private key of the subject, on P-256. */
  readonly subjectKey: KeyObject;
  readonly issuer: DistinguishedName;
  readonly issuerKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly purpose: CertificatePurpose;
}

const oid = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  uid: '1.3.6.1.4.1.57683.2',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

/**
 * Signs an X.509 v3 certificate with ECDSA on SHA-256 and returns it as PEM.
 * Written by hand because the libraries for it cost more at start than the whole rest of the first start.
 * Source: RFC 5280.
 */
export function signCertificate(request: CertificateRequest): string {
  const algorithm = sequence(objectIdentifier(oid.ecdsaWithSha256));
  const subjectKeyInfo = publicKeyInfo(request.subjectKey);
  const toBeSigned = sequence(
    explicit(0, unsignedInteger(Buffer.from([2]))),
    unsignedInteger(serialNumber()),
    algorithm,
    encodeName(request.issuer),
    sequence(time(request.notBefore), time(request.notAfter)),
    encodeName(request.subject),
    subjectKeyInfo,
    explicit(3, sequence(...extensions(request, subjectKeyInfo))),
  );
  const signature = sign('sha256', toBeSigned, request.issuerKey);
  return toPem('CERTIFICATE', sequence(toBeSigned, algorithm, bitString(signature)));
}

/** 127 random bits: positive, and never the same twice. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x7f) | 0x40, 0);
  return bytes;
}

function publicKeyInfo(key: KeyObject): Buffer {
  const publicKey = key.type === 'public' ? key : createPublicKey(key);
  return publicKey.export({ type: 'spki', format: 'der' });
}

/** Organizations come before the common name, as Go writes them. */
function encodeName(name: DistinguishedName): Buffer {
  const part = (type: string, value: string) => set(sequence(objectIdentifier(type), utf8String(value)));
  return sequence(
    ...(name.organizations ?? []).map((organization) => part(oid.organization, organization)),
    part(oid.commonName, name.commonName),
    ...(name.uid === undefined ? [] : [part(oid.uid, name.uid)]),
  );
}

function extensions(request: CertificateRequest, subjectKeyInfo: Buffer): Buffer[] {
  const { purpose } = request;
  const list = [
    extension(oid.keyUsage, keyUsage(purpose), 'critical'),
    extension(oid.basicConstraints, purpose.type === 'ca' ? sequence(boolean(true)) : sequence(), 'critical'),
    extension(oid.subjectKeyIdentifier, octetString(keyIdentifier(subjectKeyInfo))),
    extension(oid.authorityKeyIdentifier, sequence(implicit(0, keyIdentifier(publicKeyInfo(request.issuerKey))))),
  ];
  if (purpose.type !== 'ca') {
    const usage = purpose.type === 'server' ? oid.serverAuth : oid.clientAuth;
    list.push(extension(oid.extendedKeyUsage, sequence(objectIdentifier(usage))));
  }
  if (purpose.type === 'server') list.push(extension(oid.subjectAlternativeName, alternativeNames(purpose)));
  return list;
}

function extension(id: string, value: Uint8Array, critical?: 'critical'): Buffer {
  return sequence(objectIdentifier(id), ...(critical ? [boolean(true)] : []), octetString(value));
}

/**
 * digitalSignature for everybody; a CA signs certificates (bit 5). keyEncipherment means nothing with elliptic curves.
 */
function keyUsage(purpose: CertificatePurpose): Buffer {
  return purpose.type === 'ca' ? bitString(Buffer.from([0x84]), 2) : bitString(Buffer.from([0x80]), 7);
}

function alternativeNames(names: { readonly dnsNames: readonly string[]; readonly addresses: readonly string[] }) {
  return sequence(
    ...names.dnsNames.map((name) => implicit(2, Buffer.from(name, 'ascii'))),
    ...names.addresses.map((address) => implicit(7, addressBytes(address))),
  );
}

/** The SHA-1 of the public key info: only an identifier that links a chain, nothing is trusted because of it. */
function keyIdentifier(subjectKeyInfo: Uint8Array): Buffer {
  return createHash('sha1').update(subjectKeyInfo).digest();
}

/** Network bytes of an IP address. Throws a RangeError for anything else. */
export function addressBytes(address: string): Buffer {
  const family = ipFamily(address);
  if (family === 4) return Buffer.from(address.split('.').map(Number));
  if (family === 0) throw new RangeError(`${JSON.stringify(address)} is not an IP address`);
  return Buffer.from(new Uint8Array(ipv6Groups(address).flatMap((group) => [group >> 8, group & 0xff])));
}

/** The eight 16-bit groups, "::" filled up, a dotted tail taken as two groups. */
function ipv6Groups(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const plain = dotted
    ? `${dotted[1]}${((Number(dotted[2]) << 8) | Number(dotted[3])).toString(16)}:${((Number(dotted[4]) << 8) | Number(dotted[5])).toString(16)}`
    : address;
  const [head = '', tail] = plain.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  if (tail === undefined) return groups(head);
  const before = groups(head);
  const after = groups(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function toPem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
