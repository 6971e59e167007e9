import { Buffer } from 'node:buffer';
import { X509Certificate } from 'node:crypto';
import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { certificatesIn, readPemBlocks } from '@apiserver/apimachinery/x509';

/**
 * Checks that a caBundle (base64) has a certificate.
 * Upstream: ValidateCABundle of k8s.io/apiserver/pkg/util/webhook/validation.go
 */
export function validateCABundle(path: FieldPath, caBundle: string): FieldError[] {
  if (caBundle === '') return [];
  const fault = bundleFault(Buffer.from(caBundle, 'base64').toString('latin1'));
  return fault === undefined ? [] : [fieldInvalid(path, caBundle, `unable to load root certificates: ${fault}`)];
}

/** One good certificate suffices. Upstream: rootCertPool of k8s.io/client-go/transport */
function bundleFault(text: string): string | undefined {
  const certificates = certificatesIn(text);
  if (certificates.some(isCertificate)) return undefined;
  if (certificates.length > 0) return 'failed to parse certificate: x509: malformed certificate';
  const rest = readPemBlocks(text).at(-1)?.rest ?? text;
  return rest === '' ? 'no valid certificate authority data seen' : 'unable to parse bytes as PEM block';
}

function isCertificate(der: Uint8Array): boolean {
  try {
    new X509Certificate(der);
    return true;
  } catch {
    return false;
  }
}
