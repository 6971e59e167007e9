import type { NodeTlsVersion } from './cipher-suites.js';
import type { NamedCertificate } from './named-certificates.js';

/** Certificate, key and TLS settings. PEM. */
export interface TlsMaterial {
  readonly certificate: string;
  readonly key: string;
  /** Client authorities, which the server sends to clients. "": it requests no client certificate. */
  readonly clientCA: string;
  readonly minVersion: NodeTlsVersion;
  /** Upstream's names; empty: the default. */
  readonly cipherSuites: readonly string[];
  /** Key exchange groups by IANA's numbers. Default: OpenSSL's. */
  readonly curves?: readonly number[];
  /** Certificates for certain names. Default: none. */
  readonly named?: readonly NamedCertificate[];
}
