import { X509Certificate } from 'node:crypto';

/** A certificate in DER, without anything after it; undefined if it is malformed. */
export function parseCertificate(der: Uint8Array): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(der);
    return certificate.raw.length === der.length ? certificate : undefined;
  } catch {
    return undefined;
  }
}
