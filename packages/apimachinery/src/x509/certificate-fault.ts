import { X509Certificate } from 'node:crypto';
import { isOnKnownCurve } from './chain/verifiable-key.js';
import { readFirstDerElement } from './der-reader.js';

/**
 * The reason why Go would not read a certificate; undefined if it would. Most faults have one text.
 * Upstream: ParseCertificate of crypto/x509
 */
export function certificateFault(der: Uint8Array): string | undefined {
  const certificate = attempt(() => new X509Certificate(der));
  const key = certificate && attempt(() => certificate.publicKey);
  // The library also reads lengths that are no DER.
  const element = attempt(() => readFirstDerElement(der));
  if (certificate === undefined || element === undefined) return 'x509: malformed certificate';
  if (key !== undefined && !isOnKnownCurve(key)) return 'x509: unsupported elliptic curve';
  return element.bytes.length < der.length ? 'x509: trailing data' : undefined;
}

/** Undefined if the library rejects the input, which a client may have sent. */
export function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
