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
import { createTokenFileAuthenticator, type TokenFile } from './token/token-file.js';
import { webSocketProtocolAuthenticator } from './token/web-socket-protocol.js';
import { unionAuthenticator, unionTokenAuthenticator } from './union.js';
import { createX509Authenticator } from './x509/x509-authenticator.js';

/** Which ways of proving an identity a server takes. */
export interface AuthenticationConfig {
  readonly anonymous: boolean;
  /** PEM of the authorities of client certificates; absent: client certificates prove nothing. */
  readonly clientCAs?: () => string;
  /** A proxy that may say who somebody is; absent: none. */
  readonly requestHeader?: RequestHeaderConfig;
  readonly tokenFile?: TokenFile;
  readonly serviceAccounts?: ServiceAccountAuthentication;
  /** What tokens must be for to be taken here. Default: nothing is asked. */
  readonly apiAudiences?: readonly string[];
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly observeCertificateExpiration?: (remainingSeconds: number) => void;
}

/** Who finds out who somebody is. */
export interface ServerAuthentication {
  /** Undefined when nothing is configured: nobody gets in. */
  readonly authenticator: Authenticator | undefined;
  /** The part of it that knows bearer tokens, for who reviews them; undefined when there are none. */
  readonly tokenAuthenticator: TokenAuthenticator | undefined;
}

/**
 * The authenticators of a server: front proxy, client certificate, then tokens, then anonymous. A bad credential ends it: who shows
 * one is not anonymous.
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
  const { clientCAs, now, observeCertificateExpiration: observeExpiration } = config;
  const authenticators: Authenticator[] = [];
  if (config.requestHeader !== undefined) authenticators.push(requestHeaderAuthenticator(config.requestHeader, now));
  if (clientCAs !== undefined) {
    authenticators.push(
      createX509Authenticator({ clientCAs, now, ...(observeExpiration === undefined ? {} : { observeExpiration }) }),
    );
  }
  if (tokens !== undefined)
    authenticators.push(bearerTokenAuthenticator(tokens), webSocketProtocolAuthenticator(tokens));
  if (authenticators.length === 0) return config.anonymous ? anonymousAuthenticator() : undefined;
  const known = authenticatedGroupAdder(unionAuthenticator(authenticators));
  return config.anonymous ? unionAuthenticator([known, anonymousAuthenticator()], { failOnError: true }) : known;
}

function tokenAuthenticator(config: AuthenticationConfig): TokenAuthenticator | undefined {
  const { tokenFile, serviceAccounts, apiAudiences = [], logger, now } = config;
  const tokens: TokenAuthenticator[] = [];
  if (tokenFile !== undefined) {
    tokens.push(audienceAgnostic(createTokenFileAuthenticator(tokenFile, logger), apiAudiences));
  }
  if (serviceAccounts !== undefined) {
    tokens.push(...createServiceAccountAuthenticators(serviceAccounts, { audiences: apiAudiences, logger, now }));
  }
  return tokens.length === 0 ? undefined : unionTokenAuthenticator(tokens);
}
