import { X509Certificate } from 'node:crypto';
import { certificatesIn } from '@apiserver/apimachinery/x509';

/** The trust anchors of this server for clients, and for front proxies. */
export interface AuthenticationInfo {
  /** PEM; "" for none. */
  readonly clientCA: string;
  /** Undefined if no front proxy is trusted. */
  readonly requestHeader: RequestHeaderInfo | undefined;
}

/** The CA and headers of trusted front proxies. Upstream flags: --requestheader-* */
export interface RequestHeaderInfo {
  /** PEM; "" for none. */
  readonly clientCA: string;
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

type Data = Readonly<Record<string, string>>;

/** Keep a certificate for a while after its expiry: the clock of another server may be behind. */
const SLACK_MS = 5 * 60 * 1000;

const LISTS = {
  'requestheader-username-headers': 'usernameHeaders',
  'requestheader-uid-headers': 'uidHeaders',
  'requestheader-group-headers': 'groupHeaders',
  'requestheader-extra-headers-prefix': 'extraHeaderPrefixes',
  'requestheader-allowed-names': 'allowedNames',
} as const;

/**
 * The new data of the ConfigMap: its existing entries, also from other servers, and those of this server. Expired
 * certificates are removed. Throws an Error if existing data cannot be parsed.
 * Upstream: combinedClusterAuthenticationInfo and getConfigMapDataFor of
 * pkg/controlplane/controller/clusterauthenticationtrust/cluster_authentication_trust_controller.go
 */
export function combinedData(existing: Data, required: AuthenticationInfo, now: number): Record<string, string> {
  const data: Record<string, string> = {};
  const clientCA = combinedBundle([existing['client-ca-file'] ?? '', required.clientCA], now);
  if (clientCA !== '') data['client-ca-file'] = clientCA;
  const bundles = [existing['requestheader-client-ca-file'] ?? '', required.requestHeader?.clientCA ?? ''];
  const proxyCA = combinedBundle(bundles, now);
  if (proxyCA === '') return data;
  data['requestheader-client-ca-file'] = proxyCA;
  for (const [key, name] of Object.entries(LISTS)) {
    const values = [...parseList(existing[key], key), ...(required.requestHeader?.[name] ?? [])];
    data[key] = JSON.stringify([...new Set(values)]);
  }
  return data;
}

function parseList(text: string | undefined, key: string): readonly string[] {
  if (text === undefined || text === '') return [];
  const parsed: unknown = JSON.parse(text);
  if (Array.isArray(parsed) && parsed.every((value) => typeof value === 'string')) return parsed;
  throw new Error(`${key} is no list of strings`);
}

function combinedBundle(bundles: readonly string[], now: number): string {
  // Mostly the existing bundle is the server's own: parsing it takes a quarter of a millisecond.
  const shown = [...new Set(bundles)].flatMap(certificatesIn).map((der) => new X509Certificate(der));
  const certificates = shown.filter((one) => isValid(one, now));
  const unique = new Map(certificates.map((certificate) => [certificate.fingerprint512, certificate]));
  return [...unique.values()].map(String).join('');
}

function isValid({ validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validTo) > now - SLACK_MS;
}
