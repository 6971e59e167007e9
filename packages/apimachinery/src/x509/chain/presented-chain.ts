import type { X509Certificate } from 'node:crypto';

/** Further certificates are ignored. Reading one takes 50 µs. */
const MAX_CERTIFICATES = 64;

/**
 * DER of a certificate that the other side of a TLS connection presents, and of those above it. Node leaves out
 * certificates that sign none of the others.
 */
export function presentedChain(certificate: X509Certificate | undefined): Uint8Array[] {
  const chain: Uint8Array[] = [];
  const seen = new Set<string>();
  let link = certificate;
  while (link !== undefined && chain.length < MAX_CERTIFICATES && !seen.has(link.fingerprint256)) {
    seen.add(link.fingerprint256);
    chain.push(link.raw);
    link = link.issuerCertificate;
  }
  return chain;
}
