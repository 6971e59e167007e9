import type { Authenticator, Logger, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import { anonymousAuthenticator } from './anonymous.js';
import { authenticatedGroupAdder } from './group-adder.js';
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
  readonly tokenFile?: TokenFile;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly observeCertificateExpiration?: (remainingSeconds: number) => void;
}

/**
 * The authenticator of a server: client certificate, then tokens, then anonymous; undefined when nothing is configured.
 * A bad credential ends it: who shows one is not anonymous.
 * Upstream: pkg/kubeapiserver/authenticator.Config.New
 */
export function createAuthenticator(config: AuthenticationConfig): Authenticator | undefined {
  const { clientCAs, now, observeCertificateExpiration: observeExpiration } = config;
  const authenticators: Authenticator[] = [];
  if (clientCAs !== undefined) {
    authenticators.push(
      createX509Authenticator({ clientCAs, now, ...(observeExpiration === undefined ? {} : { observeExpiration }) }),
    );
  }
  const tokens = tokenAuthenticators(config);
  if (tokens.length > 0) {
    const union = unionTokenAuthenticator(tokens);
    authenticators.push(bearerTokenAuthenticator(union), webSocketProtocolAuthenticator(union));
  }
  if (authenticators.length === 0) return config.anonymous ? anonymousAuthenticator() : undefined;
  const known = authenticatedGroupAdder(unionAuthenticator(authenticators));
  return config.anonymous ? unionAuthenticator([known, anonymousAuthenticator()], { failOnError: true }) : known;
}

function tokenAuthenticators({ tokenFile, logger }: AuthenticationConfig): TokenAuthenticator[] {
  return tokenFile === undefined ? [] : [createTokenFileAuthenticator(tokenFile, logger)];
}
