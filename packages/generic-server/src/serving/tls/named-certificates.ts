import { isIP } from 'node:net';
import { isDNS1123Subdomain } from '@apiserver/apimachinery/validation';
import { checkHost, type ParsedCertificate, parseCertificate } from '@apiserver/apimachinery/x509';

/** A certificate and its key for certain names. PEM. */
export interface NamedCertificate {
  readonly certificate: string;
  readonly key: string;
  /** Names, wildcards like `*.example.com`, or IP addresses of this server; empty: the names in the certificate. */
  readonly names: readonly string[];
}

/**
 * Chooses the pair for a client by server name or local address. The first of several pairs with a name wins.
 * Configured names go before names in certificates, and names before wildcards.
 * Upstream: k8s.io/apiserver/pkg/server/dynamiccertificates (named_certificates.go, tlsconfig.go) and crypto/tls
 */
export class NamedCertificates {
  readonly #byName: ReadonlyMap<string, NamedCertificate>;
  readonly #unnamed: ParsedCertificate;
  /** Of pairs with a name that no earlier one has. */
  readonly #certificates: readonly (readonly [NamedCertificate, ParsedCertificate])[];

  /** `certificate`: the default. Throws for invalid PEM. */
  constructor(certificate: string, named: readonly NamedCertificate[]) {
    this.#unnamed = parseCertificate(certificate);
    const certificates = named.map((pair) => [pair, parseCertificate(pair.certificate)] as const);
    const explicit = named.flatMap((pair) => pair.names.map((name) => [name, pair] as const));
    const extracted = certificates.flatMap(([pair, parsed]) =>
      pair.names.length > 0 ? [] : namesOf(parsed).map((name) => [name, pair] as const),
    );
    // A map keeps the last of equal keys.
    this.#byName = new Map([...extracted.reverse(), ...explicit.reverse()]);
    const chosen = new Set(this.#byName.values());
    this.#certificates = certificates.filter(([pair]) => chosen.has(pair));
  }

  /** The pair for a server name; undefined: the default certificate. */
  forName(serverName: string): NamedCertificate | undefined {
    const name = serverName.toLowerCase();
    const wildcard = ['*', ...name.split('.').slice(1)].join('.');
    const found = this.#byName.get(name) ?? this.#byName.get(wildcard);
    if (found !== undefined || isFor(this.#unnamed, name)) return found;
    return this.#certificates.find(([, parsed]) => isFor(parsed, name))?.[0];
  }

  /** The pair for a client without a server name that came to this address. */
  forAddress(address: string): NamedCertificate | undefined {
    return this.#byName.get(address);
  }
}

function isFor(certificate: ParsedCertificate, name: string): boolean {
  try {
    checkHost(certificate, name);
    return true;
  } catch {
    return false;
  }
}

/** Without addresses, which clients cannot send as server name. Upstream: getCertificateNames */
function namesOf(certificate: ParsedCertificate): readonly string[] {
  const { commonName } = certificate;
  const isDomain = commonName === '*' || isDNS1123Subdomain(commonName.replace(/^\*\./, '')).length === 0;
  const names = isDomain && isIP(commonName) === 0 ? [commonName] : [];
  return [...names, ...(certificate.alternativeNames()?.dnsNames ?? [])];
}
