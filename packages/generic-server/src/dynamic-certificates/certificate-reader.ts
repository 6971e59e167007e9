import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type ParsedCertificate, parseCertificateBundle } from '@apiserver/apimachinery/x509';

/** Reads certificates and keys from PEM text. */
export interface CertificateReader {
  /** As `parseCertificateBundle`. The result never changes. */
  bundle(pem: string): readonly ParsedCertificate[];
  /** Reports whether the key is that of the certificate. Throws for a text without one of them. */
  isKeyPair(certificate: string, key: string): boolean;
}

/** Reads each text again. */
export const certificateReader: CertificateReader = {
  bundle: parseCertificateBundle,
  isKeyPair: (certificate, key) => new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)),
};
