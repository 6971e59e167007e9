import { isIP } from 'node:net';
import { goWordsOf } from '@apiserver/apimachinery/errors';
import { type BackendLocation, hostOf, portOf } from './backend.js';

const CERTIFICATE_ERRORS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'x509: certificate signed by unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'x509: certificate signed by unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'x509: certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'x509: certificate signed by unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'x509: certificate signed by unknown authority',
  CERT_HAS_EXPIRED: 'x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'x509: certificate has expired or is not yet valid',
};

/**
 * The reason why a backend could not be reached, in the words of Go's net and crypto/tls if these may be shown to a
 * client.
 */
export function dialErrorText(error: unknown, location: BackendLocation): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', address } = error as NodeJS.ErrnoException & { readonly address?: string };
  const certificate = CERTIFICATE_ERRORS[code];
  if (certificate !== undefined) return `tls: failed to verify certificate: ${certificate}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return altNameText(location);
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${location.hostname}: no such host`;
  if (code === 'ECONNRESET') return 'EOF';
  const words = goWordsOf(error);
  const reason = code === 'ETIMEDOUT' ? 'i/o timeout' : words && `connect: ${words}`;
  if (reason === undefined) return error.message;
  const hostname = address ?? location.hostname;
  return `dial tcp ${hostOf({ hostname, port: String(portOf(location)) })}: ${reason}`;
}

function altNameText({ hostname }: BackendLocation): string {
  const problem =
    isIP(hostname) === 0
      ? `x509: certificate is not valid for ${hostname}`
      : `x509: cannot validate certificate for ${hostname}`;
  return `tls: failed to verify certificate: ${problem}`;
}
