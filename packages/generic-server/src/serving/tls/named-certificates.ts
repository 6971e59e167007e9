import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { isDNS1123Subdomain } from '@apiserver/apimachinery/validation';

/** A pair for clients that ask for certain names. PEM. */
export interface NamedCertificate {
  readonly certificate: string;
  readonly key: string;
  /** Names, `*.` and a name, or IP addresses of this server; none: those that the certificate names. */
  readonly names: readonly string[];
}

/**
 * Which pair a client gets that asks for a name, or comes to an address. The first of several that have a name wins, what
 * was said explicitly before what a certificate says of itself, a name before a wildcard.
 * Upstream: k8s.io/apiserver/pkg/server/dynamiccertificates (named_certificates.go, tlsconfig.go) and crypto/tls
 */
export class NamedCertificates {
  readonly #byName: ReadonlyMap<string, NamedCertificate>;
  readonly #unnamed: X509Certificate;
  readonly #certificates: readonly (readonly [NamedCertificate, X509Certificate])[];

  /** `certificate` is the one for everybody else. Throws for what is no PEM. */
  constructor(certificate: string, named: readonly NamedCertificate[]) {
    this.#unnamed = new X509Certificate(certificate);
    this.#certificates = named.map((pair) => [pair, new X509Certificate(pair.certificate)] as const);
    const explicit = named.flatMap((pair) => pair.names.map((name) => [name, pair] as const));
    const extracted = this.#certificates.flatMap(([pair, parsed]) =>
      pair.names.length > 0 ? [] : namesOf(parsed).map((name) => [name, pair] as const),
    );
    // Of equal keys a map keeps the last.
    this.#byName = new Map([...extracted.reverse(), ...explicit.reverse()]);
  }

  /** For the name that a client asks for; undefined: the certificate for everybody else. */
  forName(asked: string): NamedCertificate | undefined {
    const name = asked.toLowerCase();
    const wildcard = ['*', ...name.split('.').slice(1)].join('.');
    const found = this.#byName.get(name) ?? this.#byName.get(wildcard);
    if (found !== undefined || isFor(this.#unnamed, name)) return found;
    return this.#certificates.find(([, parsed]) => isFor(parsed, name))?.[0];
  }

  /** For a client that asks for no name and came to this address. */
  forAddress(address: string): NamedCertificate | undefined {
    return this.#byName.get(address);
  }
}

function isFor(certificate: X509Certificate, name: string): boolean {
  return certificate.checkHost(name, { subject: 'never' }) !== undefined;
}

/** Addresses are left out: clients cannot ask for them. */
function namesOf(certificate: X509Certificate): string[] {
  const commonName =
    certificate.subject
      ?.split('\n')
      .findLast((line) => line.startsWith('CN='))
      ?.slice(3) ?? '';
  const isDomain = commonName === '*' || isDNS1123Subdomain(commonName.replace(/^\*\./, '')).length === 0;
  const names = isDomain && isIP(commonName) === 0 ? [commonName] : [];
  const alternatives = certificate.subjectAltName?.split(', ') ?? [];
  return [...names, ...alternatives.flatMap((entry) => (entry.startsWith('DNS:') ? [entry.slice(4)] : []))];
}
