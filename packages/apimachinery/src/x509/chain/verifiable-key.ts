import type { KeyObject, X509Certificate } from 'node:crypto';
import { CertificateError } from './certificate-error.js';

/** The curves that Go knows, by the names of OpenSSL. Others may take many times as long. */
const CURVES: ReadonlySet<string> = new Set(['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1']);
/** Bits. Upstream: maxRSAKeySize of crypto/tls */
const MAX_RSA_MODULUS = 8_192;
/** A signature is checked with as many multiplications as the exponent has bits. Upstream: crypto/rsa */
const MAX_RSA_EXPONENT = 2n ** 31n - 1n;

/** True unless the key is on an elliptic curve that Go does not know. */
export function isOnKnownCurve({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType !== 'ec' || CURVES.has(asymmetricKeyDetails?.namedCurve ?? '');
}

/** True if Go would check a signature with this key. A client chooses the keys of the certificates that it shows. */
export function isVerifiable(key: KeyObject): boolean {
  const { asymmetricKeyType, asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} } = key;
  switch (asymmetricKeyType) {
    case 'rsa':
      return modulusLength <= MAX_RSA_MODULUS && publicExponent <= MAX_RSA_EXPONENT;
    case 'ec':
      return isOnKnownCurve(key);
    default:
      return asymmetricKeyType === 'ed25519';
  }
}

/**
 * Throws for a certificate that no side of a connection by TLS may show, because of the size of its key.
 *
 * Upstream: verifyServerCertificate and processCertsFromClient of crypto/tls
 */
export function checkShownKey({ x509 }: { readonly x509: X509Certificate }, side: 'client' | 'server'): void {
  if ((modulusLengthOf(x509) ?? 0) <= MAX_RSA_MODULUS) return;
  throw new CertificateError(`tls: ${side} sent certificate containing RSA key larger than ${MAX_RSA_MODULUS} bits`);
}

function modulusLengthOf(certificate: X509Certificate): number | undefined {
  try {
    return certificate.publicKey.asymmetricKeyDetails?.modulusLength;
  } catch {
    // OpenSSL does not know its curve or algorithm.
    return undefined;
  }
}
