import { ParseError } from '@apiserver/apimachinery/text';

/**
 * The cipher suites of upstream's flags with OpenSSL's names, in Go's order of preference. The suites of TLS 1.3 cannot
 * be chosen; naming them is allowed and has no effect.
 * Upstream: k8s.io/component-base/cli/flag/ciphersuites_flag.go, cipherSuitesPreferenceOrder in crypto/tls
 */
const preferred: Readonly<Record<string, string>> = {
  TLS_AES_128_GCM_SHA256: 'TLS_AES_128_GCM_SHA256',
  TLS_AES_256_GCM_SHA384: 'TLS_AES_256_GCM_SHA384',
  TLS_CHACHA20_POLY1305_SHA256: 'TLS_CHACHA20_POLY1305_SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
};

/** In Go's order too: they all follow the preferred ones. */
const insecure: Readonly<Record<string, string>> = {
  TLS_RSA_WITH_AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  TLS_RSA_WITH_AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
  TLS_RSA_WITH_AES_128_CBC_SHA: 'AES128-SHA',
  TLS_RSA_WITH_AES_256_CBC_SHA: 'AES256-SHA',
  TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA: 'ECDHE-RSA-DES-CBC3-SHA',
  TLS_RSA_WITH_3DES_EDE_CBC_SHA: 'DES-CBC3-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: 'ECDHE-ECDSA-AES128-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: 'ECDHE-RSA-AES128-SHA256',
  TLS_RSA_WITH_AES_128_CBC_SHA256: 'AES128-SHA256',
  TLS_ECDHE_ECDSA_WITH_RC4_128_SHA: 'ECDHE-ECDSA-RC4-SHA',
  TLS_ECDHE_RSA_WITH_RC4_128_SHA: 'ECDHE-RSA-RC4-SHA',
  TLS_RSA_WITH_RC4_128_SHA: 'RC4-SHA',
};

/** Names for --help. */
export const preferredCipherSuites = (): readonly string[] => Object.keys(preferred).sort();
/** As `preferredCipherSuites`, for those that upstream calls insecure. */
export const insecureCipherSuites = (): readonly string[] => Object.keys(insecure).sort();

/**
 * OpenSSL's cipher list for upstream's names, with all of TLS 1.3. Without names it is Go's list: no CBC-SHA256, RC4,
 * 3DES or plain RSA. The order of the names does not matter. Throws a ParseError with upstream's message for an unknown
 * name.
 */
export function openSslCiphers(names: readonly string[]): string {
  const known = { ...preferred, ...insecure };
  const unknown = names.find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) throw new ParseError(`Cipher suite ${unknown} not supported or doesn't exist`);
  const isChosen = (name: string) => /^TLS_(AES|CHACHA)/.test(name) || names.includes(name);
  const chosen = names.length === 0 ? Object.keys(preferred) : Object.keys(known).filter(isChosen);
  return [...new Set(chosen.map((name) => known[name]))].join(':');
}

const versions = {
  VersionTLS10: 'TLSv1',
  VersionTLS11: 'TLSv1.1',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
} as const;

/** Names for --help. */
export const tlsVersions: readonly string[] = Object.keys(versions);

/** A TLS version by Node's name. */
export type NodeTlsVersion = (typeof versions)[keyof typeof versions];

/**
 * Node's name for upstream's name of a TLS version; "" is TLS 1.2. Throws a ParseError with upstream's text for others.
 */
export function nodeTlsVersion(name: string): NodeTlsVersion {
  if (name === '') return 'TLSv1.2';
  const version = Object.entries(versions).find(([known]) => known === name)?.[1];
  if (version === undefined) throw new ParseError(`unknown tls version ${JSON.stringify(name)}`);
  return version;
}
