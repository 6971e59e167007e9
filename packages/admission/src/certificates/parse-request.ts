import type { CertificateSigningRequestSpec } from '@apiserver/api/certificates/v1';
import { type CertificateRequest, parseCertificateRequest } from '@apiserver/apimachinery/x509';

/** The request that a CertificateSigningRequest carries, or what keeps it from being read. */
export function parseRequest({ request }: CertificateSigningRequestSpec): CertificateRequest | { fault: string } {
  try {
    return parseCertificateRequest(Buffer.from(request ?? '', 'base64').toString('latin1'));
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
