import { percentDecoded } from '@apiserver/apimachinery/text';
import { CertificateError } from '@apiserver/apimachinery/x509';
import type { AuthenticationResponse, Authenticator, RequestHeaders, UserInfo } from '@apiserver/apiserver-contracts';
import { createX509Authenticator } from '../x509/x509-authenticator.js';

/**
 * The trusted front proxy, and the headers in which it asserts the user. Each request reads all members: they may
 * change.
 */
export interface RequestHeaderConfig {
  /** PEM of the CAs of the proxy's certificate. May change while the server runs. */
  readonly clientCAs: () => string;
  /** Allowed common names of the proxy's certificate; any if empty. */
  readonly allowedNames: readonly string[];
  /** The first header present wins. Header names are case-insensitive. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  /** The values of all these headers are combined. */
  readonly groupHeaders: readonly string[];
  /** The rest of the header name is the key of an extra, percent-encoded. */
  readonly extraHeaderPrefixes: readonly string[];
}

/**
 * Takes the user from the headers of a proxy with a verified client certificate of its own. Without that certificate,
 * the headers are ignored.
 * Upstream: k8s.io/apiserver/pkg/authentication/request/headerrequest, NewDynamicCAVerifier of …/request/x509
 */
export function requestHeaderAuthenticator(config: RequestHeaderConfig, now: () => number): Authenticator {
  const proxy = createX509Authenticator({ clientCAs: config.clientCAs, now, identify: namedByCommonName });
  return {
    authenticateRequest: async (exchange) => {
      const response = await proxy.authenticateRequest(exchange);
      if (response === undefined) return undefined;
      const { name } = response.user;
      const { allowedNames } = config;
      if (allowedNames.length > 0 && !allowedNames.includes(name)) {
        throw new CertificateError(`x509: subject with cn=${name} is not in the allowed list`);
      }
      const user = userOf(exchange.request.headers, config);
      return user && { user };
    },
  };
}

/**
 * Tells whether a header is one of those in which the proxy asserts the user. `name` is in lower case.
 * Upstream: ClearAuthenticationHeaders of k8s.io/apiserver/pkg/authentication/request/headerrequest
 */
export function isIdentityHeader(
  { usernameHeaders, uidHeaders, groupHeaders, extraHeaderPrefixes }: RequestHeaderConfig,
  name: string,
): boolean {
  const isNamed = [usernameHeaders, uidHeaders, groupHeaders].some((names) =>
    names.some((header) => header.toLowerCase() === name),
  );
  return isNamed || extraHeaderPrefixes.some((prefix) => name.startsWith(prefix.toLowerCase()));
}

/** The certificate is the proxy's; only its name counts. */
function namedByCommonName({ commonName }: { readonly commonName: string }): AuthenticationResponse {
  return { user: { name: commonName, groups: [], extra: {} } };
}

function userOf(headers: RequestHeaders, config: RequestHeaderConfig): UserInfo | undefined {
  const name = firstOf(headers, config.usernameHeaders);
  if (name === undefined) return undefined;
  const uid = firstOf(headers, config.uidHeaders);
  const groups = config.groupHeaders.flatMap((header) => headers.all(header)).filter((group) => group !== '');
  return { name, ...(uid === undefined ? undefined : { uid }), groups, extra: extraOf(headers, config) };
}

function firstOf(headers: RequestHeaders, names: readonly string[]): string | undefined {
  for (const name of names) {
    const [value = ''] = headers.all(name);
    if (value !== '') return value;
  }
  return undefined;
}

function extraOf(headers: RequestHeaders, { extraHeaderPrefixes }: RequestHeaderConfig): Record<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const prefix of extraHeaderPrefixes.map((one) => one.toLowerCase())) {
    for (const name of headers.names()) {
      if (!name.startsWith(prefix)) continue;
      const encoded = name.slice(prefix.length);
      // A key with a malformed escape is used unchanged.
      const key = percentDecoded(encoded) ?? encoded;
      extra.set(key, [...(extra.get(key) ?? []), ...headers.all(name)]);
    }
  }
  return Object.fromEntries(extra);
}
