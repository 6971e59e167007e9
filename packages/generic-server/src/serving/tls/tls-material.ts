import type { NodeTlsVersion } from './cipher-suites.js';
import type { NamedCertificate } from './named-certificates.js';

/** Certificate, key and what TLS may speak. PEM. */
export interface TlsMaterial {
  readonly certificate: string;
  readonly key: string;
  /** Authorities named to clients when they are asked for a certificate; "" for none. */
  readonly clientCA: string;
  readonly minVersion: NodeTlsVersion;
  /** Upstream's names; empty: the default. */
  readonly cipherSuites: readonly string[];
  /** Groups for the exchange of keys, by IANA's numbers. Default: those of OpenSSL. */
  readonly curves?: readonly number[];
  /** Pairs for clients that ask for certain names. Default: none. */
  readonly named?: readonly NamedCertificate[];
}
