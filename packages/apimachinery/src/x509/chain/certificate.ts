import { X509Certificate } from 'node:crypto';
import { quote } from '../../text/index.js';
import { certificateFault } from '../certificate-fault.js';
import { type DerElement, derTag, readDerElements, readDerIdentifier, readOnlyDerElement } from '../der-reader.js';
import { commonNameOf, organizationsOf, readNameAttributes } from '../distinguished-name.js';
import { readPemBlocks } from '../pem-block.js';
import { type AlternativeNames, readAlternativeNames } from './alternative-names.js';
import { CertificateError } from './certificate-error.js';
import { type NameConstraints, readNameConstraints } from './name-constraints.js';

const oid = {
  /** OID of a user's UID, under the CNCF's enterprise number for Kubernetes. */
  uid: '1.3.6.1.4.1.57683.2',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  nameConstraints: '2.5.29.30',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  subjectKeyId: '2.5.29.14',
  authorityKeyId: '2.5.29.35',
  policyConstraints: '2.5.29.36',
} as const;

/** The fields of a certificate that path building and authentication read. Parsed once. */
export interface ParsedCertificate {
  readonly x509: X509Certificate;
  readonly der: Uint8Array;
  /** DER of the distinguished names, by which issuers are found. */
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  /** DER of the public key with its algorithm. */
  readonly publicKeyInfo: Uint8Array;
  /** Elements of the algorithm of the signature: its identifier, and its parameters. */
  readonly signatureAlgorithm: readonly DerElement[];
  /** 1 to 3. */
  readonly version: number;
  /** Empty if absent. */
  readonly subjectKeyId: Uint8Array;
  readonly authorityKeyId: Uint8Array;
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
  /** Bytes of the extension subjectAltName. */
  readonly alternativeNamesValue: Uint8Array | undefined;
  readonly basicConstraints: BasicConstraints | undefined;
  /** False if a key usage extension has uses, and signing certificates is none of them. */
  readonly maySignCertificates: boolean;
  /** Dotted OIDs. Every use is allowed if the extension is absent or empty. */
  readonly extendedKeyUsage: readonly string[] | undefined;
  /**
   * Unsupported critical extensions: a certificate with one must be rejected. Limits of policies always count, because
   * policies are not judged.
   */
  readonly unknownCriticalExtensions: readonly string[];
}

/** The extension basicConstraints. */
export interface BasicConstraints {
  readonly isAuthority: boolean;
  /** Maximum number of intermediate CAs below this one; undefined if unlimited. */
  readonly pathLength: number | undefined;
}

const UNDERSTOOD: ReadonlySet<string> = new Set([
  oid.keyUsage,
  oid.basicConstraints,
  oid.extendedKeyUsage,
  oid.alternativeNames,
  oid.nameConstraints,
  '2.5.29.31', // distribution points of revocation lists
  '2.5.29.32', // certificate policies
]);

/** Parses a certificate. Throws if the bytes are invalid. */
export function parseCertificate(source: Uint8Array | string): ParsedCertificate {
  const x509 = new X509Certificate(source);
  const der = x509.raw;
  const fields = certificateFields(der);
  const extensions = readExtensions(fields.extensions);
  const names = readNameAttributes(fields.subject);
  const extensionOf = (type: string) => extensions.get(type)?.value;
  return {
    x509,
    der,
    issuer: fields.issuer,
    subject: fields.subject,
    publicKeyInfo: fields.publicKeyInfo,
    signatureAlgorithm: readDerElements(fields.signatureAlgorithm),
    version: fields.version,
    subjectKeyId: readSubjectKeyId(extensionOf(oid.subjectKeyId)),
    authorityKeyId: readAuthorityKeyId(extensionOf(oid.authorityKeyId)),
    notBefore: x509.validFromDate.getTime(),
    notAfter: x509.validToDate.getTime(),
    commonName: commonNameOf(names),
    issuerCommonName: commonNameOf(readNameAttributes(fields.issuer)),
    alternativeNames: () => alternativeNamesIn(extensions.get(oid.alternativeNames)),
    nameConstraints: () => nameConstraintsIn(extensions.get(oid.nameConstraints)),
    organizations: organizationsOf(names),
    uids: names.flatMap(([type, value]) => (type === oid.uid ? [value] : [])),
    alternativeNamesValue: extensionOf(oid.alternativeNames),
    basicConstraints: readBasicConstraints(extensionOf(oid.basicConstraints)),
    maySignCertificates: readMaySignCertificates(extensionOf(oid.keyUsage)),
    extendedKeyUsage: readExtendedKeyUsage(extensionOf(oid.extendedKeyUsage)),
    unknownCriticalExtensions: [...extensions]
      .filter(([type, { critical }]) => (critical || type === oid.policyConstraints) && !UNDERSTOOD.has(type))
      .map(([type]) => type),
  };
}

interface Extension {
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/** Contents of the elements of a certificate's signed part. */
interface CertificateFields {
  readonly version: number;
  readonly signatureAlgorithm: Uint8Array;
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly publicKeyInfo: Uint8Array;
  readonly extensions: Uint8Array | undefined;
}

const NOTHING = new Uint8Array();

/** Locates fields by position. */
function certificateFields(der: Uint8Array): CertificateFields {
  const certificate = readOnlyDerElement(der, derTag.sequence);
  const [signed] = readDerElements(certificate.content);
  const fields = readDerElements(signed?.content ?? new Uint8Array());
  const version = fields[0]?.tag === 0xa0 ? fields[0] : undefined;
  // version, serial number, signature algorithm, issuer, validity, subject, public key
  const [signatureAlgorithm, issuer, , subject, publicKeyInfo] = fields.slice(version === undefined ? 1 : 2);
  return {
    version: version === undefined ? 1 : (version.content.at(-1) ?? 0) + 1,
    signatureAlgorithm: signatureAlgorithm?.content ?? NOTHING,
    issuer: issuer?.content ?? NOTHING,
    subject: subject?.content ?? NOTHING,
    publicKeyInfo: publicKeyInfo?.content ?? NOTHING,
    extensions: fields.find(({ tag }) => tag === 0xa3)?.content,
  };
}

/** DER of the distinguished name in a certificate, which is not parsed. Throws if there is no such part. */
export function subjectIn(der: Uint8Array): Uint8Array {
  return certificateFields(der).subject;
}

/** The key that a certificate, which is not parsed, says to have; empty if it says none. Throws as `subjectIn`. */
export function subjectKeyIdIn(der: Uint8Array): Uint8Array {
  return readSubjectKeyId(readExtensions(certificateFields(der).extensions).get(oid.subjectKeyId)?.value);
}

/**
 * Every certificate of a PEM bundle. Other blocks, and those with headers, are skipped. Throws if a certificate
 * cannot be parsed.
 * Upstream: ParseCertsPEM of k8s.io/client-go/util/cert
 */
export function parseCertificateBundle(pem: string): ParsedCertificate[] {
  return certificatesIn(pem).map((der) => {
    const fault = certificateFault(der);
    if (fault !== undefined) throw new CertificateError(fault);
    return parseCertificate(der);
  });
}

/** DER of the certificates of a PEM bundle. Other blocks, and those with headers, are skipped. */
export function certificatesIn(pem: string): Uint8Array[] {
  const blocks = readPemBlocks(pem);
  const plain = blocks.filter(({ type, headers }) => type === 'CERTIFICATE' && Object.keys(headers).length === 0);
  return plain.map(({ bytes }) => bytes);
}

function readExtensions(wrapped: Uint8Array | undefined): Map<string, Extension> {
  if (wrapped === undefined) return new Map();
  const extensions = new Map<string, Extension>();
  for (const { content } of readDerElements(readOnlyDerElement(wrapped, derTag.sequence).content)) {
    const [type, ...rest] = readDerElements(content);
    const name = readDerIdentifier(type);
    if (extensions.has(name)) {
      throw new CertificateError(`x509: certificate contains duplicate extension with OID ${quote(name)}`);
    }
    const critical = rest[0]?.tag === derTag.boolean && rest[0].content[0] !== 0;
    extensions.set(name, { critical, value: rest.at(-1)?.content ?? NOTHING });
  }
  return extensions;
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

function readSubjectKeyId(value: Uint8Array | undefined): Uint8Array {
  return value === undefined ? NOTHING : readOnlyDerElement(value, derTag.octetString).content;
}

function readAuthorityKeyId(value: Uint8Array | undefined): Uint8Array {
  if (value === undefined) return NOTHING;
  const parts = readDerElements(readOnlyDerElement(value, derTag.sequence).content);
  return parts.find(({ tag }) => tag === 0x80)?.content ?? NOTHING;
}

function readBasicConstraints(value: Uint8Array | undefined): BasicConstraints | undefined {
  if (value === undefined) return undefined;
  const parts = readDerElements(readOnlyDerElement(value, derTag.sequence).content);
  const length = parts.find(({ tag }) => tag === derTag.integer);
  return {
    isAuthority: parts.some(({ tag, content }) => tag === derTag.boolean && content[0] !== 0),
    pathLength: length === undefined ? undefined : Number.parseInt(Buffer.from(length.content).toString('hex'), 16),
  };
}

function readMaySignCertificates(value: Uint8Array | undefined): boolean {
  if (value === undefined) return true;
  const [, first = 0, second = 0] = readOnlyDerElement(value, derTag.bitString).content;
  // There are nine uses. An extension without any counts as absent.
  return (first & 0x04) !== 0 || (first === 0 && (second & 0x80) === 0);
}

function readExtendedKeyUsage(value: Uint8Array | undefined): string[] | undefined {
  if (value === undefined) return undefined;
  return readDerElements(readOnlyDerElement(value, derTag.sequence).content).map(readDerIdentifier);
}
