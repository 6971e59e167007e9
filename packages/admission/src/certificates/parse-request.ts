import type { CertificateSigningRequestSpec } from '@apiserver/api/certificates/v1';
import { messageOf } from '@apiserver/apimachinery/errors';
import { type CertificateRequest, parseCertificateRequest } from '@apiserver/apimachinery/x509';

/** Parses the certificate request of a CertificateSigningRequest, or returns the reason why it cannot. */
export function parseRequest({ request }: CertificateSigningRequestSpec): CertificateRequest | { fault: string } {
  try {
    return parseCertificateRequest(Buffer.from(request ?? '', 'base64').toString('latin1'));
  } catch (error) {
    return { fault: messageOf(error) };
  }
}
