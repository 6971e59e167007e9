import { constants } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { errorOf } from '@apiserver/apimachinery/errors';
import { openSslCiphers } from './cipher-suites.js';
import { openSslGroups } from './key-exchange-groups.js';
import { type NamedCertificate, NamedCertificates } from './named-certificates.js';
import type { TlsMaterial } from './tls-material.js';

/**
 * Disables session resumption, because a resumed session has the client's certificate without its intermediates. As in
 * Go, a second handshake on a connection is refused. As there, ChaCha20 is used if the client prefers it, because such
 * clients have no fast AES.
 */
const secureOptions =
  constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_PRIORITIZE_CHACHA;

/** The TLS contexts of a listener, by server name or local address. They may change at any time. */
export class ServingContexts {
  #tls: TlsMaterial;
  /** Made on first use, like the contexts: most servers have no named certificates. */
  #named: NamedCertificates | undefined;
  #contexts = new Map<NamedCertificate | undefined, SecureContext>();

  constructor(tls: TlsMaterial) {
    this.#tls = tls;
  }

  /** The addresses with certificates of their own. */
  get addresses(): readonly string[] {
    return (this.#tls.named ?? []).flatMap(({ names }) => names.filter((name) => isIP(name) !== 0));
  }

  /** Throws for certificates that cannot be used. The last ones stay then. */
  use(tls: TlsMaterial): void {
    for (const pair of [tls, ...(tls.named ?? [])]) createSecureContext(contextOptions(tls, pair));
    this.#tls = tls;
    this.#named = undefined;
    this.#contexts = new Map();
  }

  /** The context for clients without a server name; `address`: where they connect. */
  optionsFor(address?: string): SecureContextOptions {
    return this.#optionsOf(address === undefined ? undefined : this.#certificates().forAddress(address));
  }

  /** The contexts for clients with a server name; empty when all names have one certificate. */
  sniOptions(): { SNICallback?: SniCallback } {
    if ((this.#tls.named ?? []).length === 0) return {};
    return {
      SNICallback: (name, done) => {
        try {
          done(null, this.#contextFor(name));
        } catch (error) {
          done(errorOf(error));
        }
      },
    };
  }

  #contextFor(name: string): SecureContext {
    const pair = this.#certificates().forName(name);
    const known = this.#contexts.get(pair) ?? createSecureContext(this.#optionsOf(pair));
    this.#contexts.set(pair, known);
    return known;
  }

  #certificates(): NamedCertificates {
    this.#named ??= new NamedCertificates(this.#tls.certificate, this.#tls.named ?? []);
    return this.#named;
  }

  #optionsOf(pair: NamedCertificate | undefined): SecureContextOptions {
    return contextOptions(this.#tls, pair ?? this.#tls);
  }
}

function contextOptions(
  { clientCA, minVersion, cipherSuites, curves = [] }: TlsMaterial,
  { certificate, key }: Pick<TlsMaterial, 'certificate' | 'key'>,
): SecureContextOptions {
  const groups = openSslGroups(curves);
  return {
    cert: certificate,
    key,
    ...(clientCA === '' ? {} : { ca: clientCA }),
    minVersion,
    // TLS 1.0 and 1.1 need signatures by SHA-1, which OpenSSL disables by default.
    ciphers: openSslCiphers(cipherSuites) + (minVersion < 'TLSv1.2' ? ':@SECLEVEL=0' : ''),
    ...(groups !== undefined && { ecdhCurve: groups }),
    honorCipherOrder: true,
    secureOptions,
  };
}

type SniCallback = (name: string, done: (error: Error | null, context?: SecureContext) => void) => void;
