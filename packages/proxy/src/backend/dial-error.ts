import { isIP } from 'node:net';
import { goWordsOf } from '@apiserver/apimachinery/errors';
import { type BackendLocation, hostOf, portOf } from './backend.js';
import {
  expiredText,
  nameFault,
  unknownAuthorityText,
  weakDigestText,
  wrongUsageText,
} from './presented-certificate.js';

/** Texts of Go's crypto/x509 by Node's code. */
const CERTIFICATE_ERRORS: Readonly<Record<string, (error: Error) => string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthorityText,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthorityText,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthorityText,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthorityText,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthorityText,
  CERT_SIGNATURE_FAILURE: unknownAuthorityText,
  CERT_HAS_EXPIRED: expiredText,
  CERT_NOT_YET_VALID: expiredText,
  INVALID_PURPOSE: wrongUsageText,
};

/** OpenSSL's message, which has no code of its own. */
const WEAK_DIGEST = /signature digest algorithm too weak$/;

/** From this many names on, an error shows only their number. Upstream: maxNamesIncluded of Go's crypto/x509 */
const MAX_SHOWN_NAMES = 100;

/** The first bytes are no record of TLS, but most often the status line of HTTP. */
const NO_TLS = /wrong version number|packet length too long/;

/** No socket could be made; Node reports it as a failure to connect. */
const WITHOUT_DESCRIPTORS: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

/** Node's error for a certificate of other names. */
interface AltNameError extends Error {
  readonly host?: string;
  readonly cert?: { readonly subjectaltname?: string; readonly subject?: { readonly CN?: string } };
}

/**
 * The reason why a backend could not be reached, in the words of Go's net and crypto/tls if these may be shown to a
 * client.
 */
export function dialErrorText(error: unknown, location: BackendLocation): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', address } = error as NodeJS.ErrnoException & { readonly address?: string };
  const certificate = WEAK_DIGEST.test(error.message) ? weakDigestText : CERTIFICATE_ERRORS[code];
  const name = certificate === undefined ? undefined : nameFault(error);
  if (name !== undefined || code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `tls: failed to verify certificate: x509: ${altNameText(name ?? error, location)}`;
  }
  if (certificate !== undefined) return `tls: failed to verify certificate: x509: ${certificate(error)}`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${location.hostname}: no such host`;
  if (code === 'ECONNRESET') return 'EOF';
  if (code === 'EPROTO' && NO_TLS.test(error.message)) return 'http: server gave HTTP response to HTTPS client';
  const words = goWordsOf(error);
  const call = WITHOUT_DESCRIPTORS.has(code) ? 'socket' : 'connect';
  const reason = code === 'ETIMEDOUT' ? 'i/o timeout' : words && `${call}: ${words}`;
  if (reason === undefined) return error.message;
  const hostname = address ?? location.hostname;
  return `dial tcp ${hostOf({ hostname, port: String(portOf(location)) })}: ${reason}`;
}

/** Upstream: HostnameError of Go's crypto/x509 */
function altNameText(error: AltNameError, { hostname }: BackendLocation): string {
  const { host = hostname, cert } = error;
  const names = (cert?.subjectaltname ?? '').split(', ').filter((name) => name !== '');
  const of = (type: string) => names.filter((name) => name.startsWith(type)).map((name) => name.slice(type.length));
  if (names.length === 0 && cert?.subject?.CN === host) {
    return 'certificate relies on legacy Common Name field, use SANs instead';
  }
  if (isIP(host) !== 0) {
    const addresses = of('IP Address:');
    if (addresses.length === 0) return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
    if (addresses.length >= MAX_SHOWN_NAMES) {
      return `certificate is valid for ${addresses.length} IP SANs, but none matched ${host}`;
    }
    return `certificate is valid for ${addresses.join(', ')}, not ${host}`;
  }
  const hosts = of('DNS:');
  if (hosts.length >= MAX_SHOWN_NAMES) {
    return `certificate is valid for ${hosts.length} names, but none matched ${host}`;
  }
  if (hosts.length > 0) return `certificate is valid for ${hosts.join(', ')}, not ${host}`;
  return `certificate is not valid for any names, but wanted to match ${host}`;
}
