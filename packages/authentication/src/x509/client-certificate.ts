import { X509Certificate } from 'node:crypto';
import {
  type DerElement,
  derTag,
  readDerElements,
  readDerString,
  readObjectIdentifier,
  readOnlyDerElement,
} from '@apiserver/apimachinery/x509';
import { type AlternativeNames, readAlternativeNames } from './alternative-names.js';
import { CertificateError } from './certificate-error.js';
import { type NameConstraints, readNameConstraints } from './name-constraints.js';

const oid = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  /** OID of a user's UID, under the CNCF's enterprise number for Kubernetes. */
  uid: '1.3.6.1.4.1.57683.2',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  nameConstraints: '2.5.29.30',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
} as const;

/** The fields of a certificate that path building and authentication read. Parsed once. */
export interface ParsedCertificate {
  readonly x509: X509Certificate;
  readonly der: Uint8Array;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly commonName: string;
  readonly issuerCommonName: string;
  readonly organizations: readonly string[];
  /** Every value of the UID attribute; the authenticator accepts at most one. */
  readonly uids: readonly (string | undefined)[];
  /**
   * Undefined without the extension. Throws an Error for malformed names, and for a critical extension without a name
   * that is understood.
   */
  alternativeNames(): AlternativeNames | undefined;
  /** Constraints of the names below. The same holds. */
  nameConstraints(): NameConstraints | undefined;
  readonly isAuthority: boolean;
  /** Maximum number of intermediate CAs below this one; undefined if unlimited. */
  readonly pathLength: number | undefined;
  /** False if a key usage extension exists and does not allow signing certificates. */
  readonly maySignCertificates: boolean;
  /** Dotted OIDs. Undefined if the extension is absent, which allows every use. */
  readonly extendedKeyUsage: readonly string[] | undefined;
  /** Unsupported critical extensions: a certificate with one must be rejected. */
  readonly unknownCriticalExtensions: readonly string[];
}

const understood = new Set<string>([
  oid.keyUsage,
  oid.basicConstraints,
  oid.extendedKeyUsage,
  oid.alternativeNames,
  oid.nameConstraints,
  '2.5.29.32', // certificate policies
]);

/** Parses a certificate. Throws if the bytes are invalid. */
export function parseCertificate(source: Uint8Array | string): ParsedCertificate {
  const x509 = new X509Certificate(source);
  const der = x509.raw;
  const fields = certificateFields(der);
  const extensions = readExtensions(fields.extensions);
  const names = readNames(fields.subject);
  const constraints = readBasicConstraints(extensions.get(oid.basicConstraints)?.value);
  return {
    x509,
    der,
    notBefore: x509.validFromDate.getTime(),
    notAfter: x509.validToDate.getTime(),
    commonName: commonNameOf(names),
    issuerCommonName: commonNameOf(readNames(fields.issuer)),
    alternativeNames: () => alternativeNamesIn(extensions.get(oid.alternativeNames)),
    nameConstraints: () => nameConstraintsIn(extensions.get(oid.nameConstraints)),
    organizations: names.flatMap(([type, value]) => (type === oid.organization && value !== undefined ? [value] : [])),
    uids: names.flatMap(([type, value]) => (type === oid.uid ? [value] : [])),
    ...constraints,
    maySignCertificates: readMaySignCertificates(extensions.get(oid.keyUsage)?.value),
    extendedKeyUsage: readExtendedKeyUsage(extensions.get(oid.extendedKeyUsage)?.value),
    unknownCriticalExtensions: [...extensions]
      .filter(([type, { critical }]) => critical && !understood.has(type))
      .map(([type]) => type),
  };
}

interface Extension {
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/** Parts of a certificate's signed part. */
interface CertificateFields {
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly extensions: Uint8Array | undefined;
}

/** Locates fields by position. */
function certificateFields(der: Uint8Array): CertificateFields {
  const certificate = readOnlyDerElement(der, derTag.sequence);
  const [signed] = readDerElements(certificate.content);
  const fields = readDerElements(signed?.content ?? new Uint8Array());
  const versioned = fields[0]?.tag === 0xa0 ? 1 : 0;
  // version, serial number, signature algorithm, issuer, validity, subject
  const [issuer, , subject] = fields.slice(versioned + 2);
  return {
    issuer: issuer?.content ?? new Uint8Array(),
    subject: subject?.content ?? new Uint8Array(),
    extensions: fields.find(({ tag }) => tag === 0xa3)?.content,
  };
}

function commonNameOf(names: readonly (readonly [string, string | undefined])[]): string {
  return names.findLast(([type]) => type === oid.commonName)?.[1] ?? '';
}

/** Attribute type and value of each part of a distinguished name, in order. */
function readNames(subject: Uint8Array): (readonly [string, string | undefined])[] {
  return readDerElements(subject).flatMap((set) =>
    readDerElements(set.content).map((attribute) => {
      const [type, value] = readDerElements(attribute.content);
      return [identifier(type), value === undefined ? undefined : readDerString(value)] as const;
    }),
  );
}

function readExtensions(wrapped: Uint8Array | undefined): Map<string, Extension> {
  if (wrapped === undefined) return new Map();
  const list = readOnlyDerElement(wrapped, derTag.sequence);
  return new Map(
    readDerElements(list.content).map((extension) => {
      const [type, ...rest] = readDerElements(extension.content);
      const critical = rest[0]?.tag === derTag.boolean && rest[0].content[0] !== 0;
      return [identifier(type), { critical, value: rest.at(-1)?.content ?? new Uint8Array() }];
    }),
  );
}

function alternativeNamesIn(extension: Extension | undefined): AlternativeNames | undefined {
  if (extension === undefined) return undefined;
  const names = readAlternativeNames(extension.value);
  checkUnderstood(
    extension,
    Object.values(names).some(({ length }) => length > 0),
  );
  return names;
}

function nameConstraintsIn(extension: Extension | undefined): NameConstraints | undefined {
  if (extension === undefined) return undefined;
  const constraints = readNameConstraints(extension.value);
  checkUnderstood(extension, !constraints.hasOthers);
  return constraints;
}

function checkUnderstood({ critical }: Extension, isUnderstood: boolean): void {
  if (critical && !isUnderstood) throw new CertificateError('x509: unhandled critical extension');
}

function readBasicConstraints(value: Uint8Array | undefined) {
  if (value === undefined) return { isAuthority: false, pathLength: undefined };
  const parts = readDerElements(readOnlyDerElement(value, derTag.sequence).content);
  const length = parts.find(({ tag }) => tag === derTag.integer);
  return {
    isAuthority: parts.some(({ tag, content }) => tag === derTag.boolean && content[0] !== 0),
    pathLength: length === undefined ? undefined : Number.parseInt(Buffer.from(length.content).toString('hex'), 16),
  };
}

function readMaySignCertificates(value: Uint8Array | undefined): boolean {
  if (value === undefined) return true;
  const bits = readOnlyDerElement(value, derTag.bitString).content;
  return ((bits[1] ?? 0) & 0x04) !== 0;
}

function readExtendedKeyUsage(value: Uint8Array | undefined): string[] | undefined {
  if (value === undefined) return undefined;
  return readDerElements(readOnlyDerElement(value, derTag.sequence).content).map(identifier);
}

function identifier(element: DerElement | undefined): string {
  if (element?.tag !== derTag.objectIdentifier) throw new Error('x509: malformed certificate');
  return readObjectIdentifier(element.content);
}
