import { X509Certificate } from 'node:crypto';
import { isOnKnownCurve } from './chain/verifiable-key.js';
import { isFollowedByOthers } from './der-reader.js';

/**
 * The reason why Go would not read a certificate; undefined if it would. Most faults have one text.
 * Upstream: ParseCertificate of crypto/x509
 */
export function certificateFault(der: Uint8Array): string | undefined {
  const certificate = attempt(() => new X509Certificate(der));
  const key = certificate && attempt(() => certificate.publicKey);
  if (certificate === undefined) return 'x509: malformed certificate';
  if (isFollowedByOthers(der)) return 'x509: trailing data';
  return key !== undefined && !isOnKnownCurve(key) ? 'x509: unsupported elliptic curve' : undefined;
}

/** Undefined if the library rejects the input, which a client may have sent. */
export function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
