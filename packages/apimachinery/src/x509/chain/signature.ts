import { type DerElement, derTag, readDerElements, readObjectIdentifier } from '../der-reader.js';
import type { ParsedCertificate } from './certificate.js';
import { CertificateError } from './certificate-error.js';
import { isVerifiable } from './verifiable-key.js';

/** Keys by Go's names. */
type KeyKind = 'RSA' | 'ECDSA' | 'Ed25519';

/** An algorithm of signatures. */
interface Algorithm {
  readonly name: string;
  readonly key: KeyKind;
  readonly isInsecure?: boolean;
}

/** Algorithms by their object identifiers. Upstream: signatureAlgorithmDetails of crypto/x509 */
const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  '1.2.840.113549.1.1.4': { name: 'MD5-RSA', key: 'RSA', isInsecure: true },
  '1.2.840.113549.1.1.5': { name: 'SHA1-RSA', key: 'RSA', isInsecure: true },
  '1.3.14.3.2.29': { name: 'SHA1-RSA', key: 'RSA', isInsecure: true },
  '1.2.840.113549.1.1.11': { name: 'SHA256-RSA', key: 'RSA' },
  '1.2.840.113549.1.1.12': { name: 'SHA384-RSA', key: 'RSA' },
  '1.2.840.113549.1.1.13': { name: 'SHA512-RSA', key: 'RSA' },
  '1.2.840.10045.4.1': { name: 'ECDSA-SHA1', key: 'ECDSA', isInsecure: true },
  '1.2.840.10045.4.3.2': { name: 'ECDSA-SHA256', key: 'ECDSA' },
  '1.2.840.10045.4.3.3': { name: 'ECDSA-SHA384', key: 'ECDSA' },
  '1.2.840.10045.4.3.4': { name: 'ECDSA-SHA512', key: 'ECDSA' },
  '1.3.101.112': { name: 'Ed25519', key: 'Ed25519' },
};

const RSA_PSS = '1.2.840.113549.1.1.10';
/** The digests that RSA-PSS may have (SHA-256, SHA-384 and SHA-512) with the bytes of their salt. */
const PSS_SALTS: Readonly<Record<string, number>> = {
  '2.16.840.1.101.3.4.2.1': 32,
  '2.16.840.1.101.3.4.2.2': 48,
  '2.16.840.1.101.3.4.2.3': 64,
};

/** Kinds of keys by Node's names. */
const KEY_KINDS: Readonly<Record<string, KeyKind>> = { rsa: 'RSA', ec: 'ECDSA', ed25519: 'Ed25519' };
/** Go's types of keys, for messages. */
const KEY_TYPES = { RSA: '*rsa.PublicKey', ECDSA: '*ecdsa.PublicKey', Ed25519: 'ed25519.PublicKey' } as const;
const FAILURES = {
  RSA: 'crypto/rsa: verification error',
  ECDSA: 'x509: ECDSA verification failure',
  Ed25519: 'x509: Ed25519 verification failure',
} as const;

const MIN_RSA_BITS = 1_024;

/** Reports whether Go checks signatures with the key. Certificates with another one sign nothing. */
export function hasKnownKey(certificate: ParsedCertificate): boolean {
  return keyKindOf(certificate) !== undefined && isVerifiable(certificate.x509.publicKey);
}

/**
 * Checks that `issuer` may sign certificates and signed this one. Throws a CertificateError.
 * Upstream: CheckSignatureFrom of crypto/x509
 */
export function checkSignature(certificate: ParsedCertificate, issuer: ParsedCertificate): void {
  const { basicConstraints, version, maySignCertificates } = issuer;
  const isAuthority = basicConstraints === undefined ? version < 3 : basicConstraints.isAuthority;
  if (!isAuthority || !maySignCertificates) {
    throw new CertificateError('x509: invalid signature: parent certificate cannot sign this kind of certificate');
  }
  const algorithm = algorithmOf(certificate);
  const key = keyKindOf(issuer);
  if (algorithm === undefined || key === undefined) {
    throw new CertificateError('x509: cannot verify signature: algorithm unimplemented');
  }
  if (algorithm.isInsecure) {
    throw new CertificateError(`x509: cannot verify signature: insecure algorithm ${algorithm.name}`);
  }
  if (algorithm.key !== key) {
    throw new CertificateError(
      `x509: signature algorithm specifies an ${algorithm.key} public key, but have public key of type ${KEY_TYPES[key]}`,
    );
  }
  checkKeySize(issuer);
  if (!certificate.x509.verify(issuer.x509.publicKey)) throw new CertificateError(FAILURES[key]);
}

function algorithmOf({ signatureAlgorithm: [identifier, parameters] }: ParsedCertificate): Algorithm | undefined {
  const name = identifierOf(identifier);
  if (name === RSA_PSS) return isPss(parameters) ? { name, key: 'RSA' } : undefined;
  return Object.hasOwn(ALGORITHMS, name) ? ALGORITHMS[name] : undefined;
}

/** One digest must serve for the message, the mask and the length of the salt. */
function isPss(parameters: DerElement | undefined): boolean {
  const [digest, mask, salt] = [0xa0, 0xa1, 0xa2].map((tag) => partsOf(parameters).find((part) => part.tag === tag));
  const name = identifierOf(partsOf(partsOf(digest)[0])[0]);
  const maskDigest = identifierOf(partsOf(partsOf(partsOf(mask)[0])[1])[0]);
  return Object.hasOwn(PSS_SALTS, name) && maskDigest === name && partsOf(salt)[0]?.content[0] === PSS_SALTS[name];
}

function partsOf(element: DerElement | undefined): readonly DerElement[] {
  return element === undefined ? [] : readDerElements(element.content);
}

/** "" for anything else. */
function identifierOf(element: DerElement | undefined): string {
  return element?.tag === derTag.objectIdentifier ? readObjectIdentifier(element.content) : '';
}

function keyKindOf({ x509 }: ParsedCertificate): KeyKind | undefined {
  try {
    return KEY_KINDS[x509.publicKey.asymmetricKeyType ?? ''];
  } catch {
    // OpenSSL does not know its curve or algorithm.
    return undefined;
  }
}

function checkKeySize({ x509 }: ParsedCertificate): void {
  const bits = x509.publicKey.asymmetricKeyDetails?.modulusLength;
  if (bits === undefined || bits >= MIN_RSA_BITS) return;
  throw new CertificateError(
    `crypto/rsa: ${bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`,
  );
}
