import { Buffer } from 'node:buffer';
import { X509Certificate } from 'node:crypto';
import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';

/** A PEM block without headers. */
const BLOCK = /-----BEGIN ([^-]*)-----\s*\n([A-Za-z0-9+/=\s]*)-----END \1-----/g;

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
  const blocks = [...text.matchAll(BLOCK)];
  const faults = blocks
    .filter(([, type]) => type === 'CERTIFICATE')
    .map(([, , body = '']) => certificateFault(Buffer.from(body, 'base64')));
  if (faults.includes(undefined)) return undefined;
  if (blocks.length === 0) return 'unable to parse bytes as PEM block';
  return faults[0] ?? endFault(text, blocks);
}

/** Text behind the last block is no block either. */
function endFault(text: string, blocks: readonly RegExpMatchArray[]): string {
  const last = blocks.at(-1);
  const end = (last?.index ?? 0) + (last?.[0].length ?? 0);
  return text.slice(end).replace(/^\r?\n/, '') === ''
    ? 'no valid certificate authority data seen'
    : 'unable to parse bytes as PEM block';
}

function certificateFault(der: Buffer): string | undefined {
  try {
    new X509Certificate(der);
    return undefined;
  } catch {
    return 'failed to parse certificate: x509: malformed certificate';
  }
}
