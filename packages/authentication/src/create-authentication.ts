import type { Authenticator, Logger, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import { anonymousAuthenticator } from './anonymous.js';
import { authenticatedGroupAdder, authenticatedTokenGroupAdder } from './group-adder.js';
import { type RequestHeaderConfig, requestHeaderAuthenticator } from './request-header/request-header-authenticator.js';
import {
  createServiceAccountAuthenticators,
  type ServiceAccountAuthentication,
} from './service-account/create-service-account-authenticators.js';
import { audienceAgnostic } from './token/audience-agnostic.js';
import { bearerTokenAuthenticator } from './token/bearer-token.js';
import { type CachedTokenOptions, cachedTokenAuthenticator } from './token/cached-token-authenticator.js';
import { createTokenFileAuthenticator, type TokenFile } from './token/token-file.js';
import { webSocketProtocolAuthenticator } from './token/web-socket-protocol.js';
import { unionAuthenticator, unionTokenAuthenticator } from './union.js';
import { createX509Authenticator, type X509AuthenticatorOptions } from './x509/x509-authenticator.js';

/** The authentication methods of a server. */
export interface AuthenticationConfig {
  readonly anonymous: boolean;
  /** The paths that anonymous requests may have. Default: all. */
  readonly anonymousPaths?: readonly string[];
  /** PEM of the CAs of client certificates. If absent, client certificates are ignored. */
  readonly clientCAs?: () => string;
  /** Reads a bundle of CAs. Default: `parseCertificateBundle`. */
  readonly parseAuthorities?: X509AuthenticatorOptions['parseBundle'];
  /** A front proxy that asserts the user; none if absent. */
  readonly requestHeader?: RequestHeaderConfig;
  readonly tokenFile?: TokenFile;
  readonly serviceAccounts?: ServiceAccountAuthentication;
  /** Tokens in secrets that nodes join with. Default: none. */
  readonly bootstrapTokens?: TokenAuthenticator;
  /** JWTs of other issuers. They come after the server's own tokens, because they may ask the issuer for keys. */
  readonly issuers?: TokenAuthenticator;
  /** The last authenticator to get a token. It is asked for the audiences of this server. Default: none. */
  readonly webhook?: TokenAuthenticator;
  /** The audiences of this server, one of which a token must have. Default: audiences are not checked. */
  readonly apiAudiences?: readonly string[];
  /** The cache of all tokens. Default: none. */
  readonly tokenCache?: CachedTokenOptions;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The time at which certificates must be valid. Default: `now`. */
  readonly certificateTime?: () => number;
  /** See X509AuthenticatorOptions. */
  readonly readsCertificateUid?: boolean;
  readonly observeCertificateExpiration?: (remainingSeconds: number) => void;
}

/** The authenticators of a server. */
export interface ServerAuthentication {
  /** Undefined if no method is configured: every request is rejected. */
  readonly authenticator: Authenticator | undefined;
  /** The part that authenticates bearer tokens, for TokenReviews; undefined if there are none. */
  readonly tokenAuthenticator: TokenAuthenticator | undefined;
}

/**
 * The authenticators of a server, in order: front proxy, client certificate, tokens, anonymous. A bad credential
 * fails the request, which then is not anonymous.
 * Upstream: pkg/kubeapiserver/authenticator.Config.New
 */
export function createAuthentication(config: AuthenticationConfig): ServerAuthentication {
  const tokens = tokenAuthenticator(config);
  const tokenUsers = tokens && authenticatedTokenGroupAdder(tokens);
  return { authenticator: requestAuthenticator(config, tokens), tokenAuthenticator: tokenUsers };
}

function requestAuthenticator(
  config: AuthenticationConfig,
  tokens: TokenAuthenticator | undefined,
): Authenticator | undefined {
  const { clientCAs, certificateTime: now = config.now, observeCertificateExpiration: observeExpiration } = config;
  const authenticators: Authenticator[] = [];
  if (config.requestHeader !== undefined) authenticators.push(requestHeaderAuthenticator(config.requestHeader, now));
  if (clientCAs !== undefined) {
    authenticators.push(
      createX509Authenticator({
        clientCAs,
        now,
        parseBundle: config.parseAuthorities,
        readsUid: config.readsCertificateUid ?? true,
        ...(observeExpiration === undefined ? {} : { observeExpiration }),
      }),
    );
  }
  if (tokens !== undefined) {
    authenticators.push(bearerTokenAuthenticator(tokens), webSocketProtocolAuthenticator(tokens));
  }
  const anonymous = config.anonymous ? anonymousAuthenticator(config.anonymousPaths) : undefined;
  if (authenticators.length === 0) return anonymous;
  const known = authenticatedGroupAdder(unionAuthenticator(authenticators));
  return anonymous === undefined ? known : unionAuthenticator([known, anonymous], { failOnError: true });
}

function tokenAuthenticator(config: AuthenticationConfig): TokenAuthenticator | undefined {
  const { tokenFile, serviceAccounts, bootstrapTokens, issuers, webhook, apiAudiences = [], logger, now } = config;
  const tokens: TokenAuthenticator[] = [];
  if (tokenFile !== undefined) {
    tokens.push(audienceAgnostic(createTokenFileAuthenticator(tokenFile, logger), apiAudiences));
  }
  if (serviceAccounts !== undefined) {
    tokens.push(...createServiceAccountAuthenticators(serviceAccounts, { audiences: apiAudiences, logger, now }));
  }
  if (bootstrapTokens !== undefined) tokens.push(audienceAgnostic(bootstrapTokens, apiAudiences));
  if (issuers !== undefined) tokens.push(audienceAgnostic(issuers, apiAudiences));
  if (webhook !== undefined) tokens.push(forAudiences(webhook, apiAudiences));
  if (tokens.length === 0) return undefined;
  const union = unionTokenAuthenticator(tokens);
  return config.tokenCache === undefined ? union : cachedTokenAuthenticator(union, config.tokenCache);
}

/**
 * A caller without audiences wants those of this server.
 * Upstream: WithAuthentication of k8s.io/apiserver/pkg/endpoints/filters
 */
function forAudiences(tokens: TokenAuthenticator, own: readonly string[]): TokenAuthenticator {
  if (own.length === 0) return tokens;
  return {
    authenticateToken: (token, audiences = own, recorder) => tokens.authenticateToken(token, audiences, recorder),
  };
}
