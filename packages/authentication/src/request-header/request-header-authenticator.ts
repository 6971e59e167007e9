import type { AuthenticationResponse, Authenticator, RequestHeaders, UserInfo } from '@apiserver/apiserver-contracts';
import { createX509Authenticator } from '../x509/x509-authenticator.js';

/** Which front proxy is trusted, and in which headers it says who somebody is. */
export interface RequestHeaderConfig {
  /** PEM of the authorities of the proxy's certificate. May change while the server runs. */
  readonly clientCAs: () => string;
  /** Common names that the proxy's certificate may have; empty: any. */
  readonly allowedNames: readonly string[];
  /** The first header that is there wins. Compared without case, as all header names. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  /** The values of all of them count. */
  readonly groupHeaders: readonly string[];
  /** What follows the prefix is the key of an extra, percent-encoded. */
  readonly extraHeaderPrefixes: readonly string[];
}

/**
 * Takes the user from the headers of a proxy that has shown a certificate of its own; without such a certificate the
 * headers say nothing.
 * Upstream: k8s.io/apiserver/pkg/authentication/request/headerrequest, NewDynamicCAVerifier of …/request/x509
 */
export function requestHeaderAuthenticator(config: RequestHeaderConfig, now: () => number): Authenticator {
  const { clientCAs, allowedNames } = config;
  const proxy = createX509Authenticator({
    clientCAs,
    now,
    identify: ({ commonName }) => {
      if (allowedNames.length > 0 && !allowedNames.includes(commonName)) {
        throw new Error(`x509: subject with cn=${commonName} is not in the allowed list`);
      }
      return isProxy;
    },
  });
  return {
    authenticateRequest: async (exchange) => {
      if ((await proxy.authenticateRequest(exchange)) === undefined) return undefined;
      const user = userOf(exchange.request.headers, config);
      return user && { user };
    },
  };
}

/** Says only that the certificate is that of a proxy. */
const isProxy: AuthenticationResponse = { user: { name: '', groups: [], extra: {} } };

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
      const key = unescaped(name.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...headers.all(name)]);
    }
  }
  return Object.fromEntries(extra);
}

/** A key that is not encoded as it should be is taken as it stands. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
