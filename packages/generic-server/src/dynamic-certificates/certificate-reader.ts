import { keyPairFault, type ParsedCertificate, parseCertificateBundle } from '@apiserver/apimachinery/x509';

/** Reads certificates and keys from PEM text. */
export interface CertificateReader {
  /** As `parseCertificateBundle`. The result never changes. */
  bundle(pem: string): readonly ParsedCertificate[];
  /** As `keyPairFault`. */
  keyPairFault(certificate: string, key: string): string | undefined;
}

/** Reads each text again. */
export const certificateReader: CertificateReader = {
  bundle: parseCertificateBundle,
  keyPairFault,
};
