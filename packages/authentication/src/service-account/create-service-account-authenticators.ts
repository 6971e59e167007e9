import type { Logger, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import { boundTokenValidator } from './bound-token-validator.js';
import { createJwtAuthenticator } from './jwt-authenticator.js';
import { LEGACY_ISSUER, type LegacyValidatorOptions, legacyTokenValidator } from './legacy-token-validator.js';
import type { VerificationKey } from './public-keys.js';
import type { TokenObjectGetter, TokenUse } from './token-objects.js';

/** How a server takes the tokens of service accounts. */
export interface ServiceAccountAuthentication extends Pick<LegacyValidatorOptions, 'lookup' | 'labelSecret'> {
  /** Whose tokens are taken. Upstream flag: --service-account-issuer */
  readonly issuers: readonly string[];
  /** What verifies them. Upstream flag: --service-account-key-file */
  readonly keys: readonly VerificationKey[];
  readonly objects: TokenObjectGetter;
  readonly observe?: (use: TokenUse) => void;
}

/** What it shares with the server's other authenticators. */
export interface TokenEnvironment {
  readonly audiences: readonly string[];
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Tokens that are kept in secrets, then those of the TokenRequest API; the issuer decides.
 * Upstream: newLegacyServiceAccountAuthenticator, newServiceAccountAuthenticator in pkg/kubeapiserver/authenticator
 */
export function createServiceAccountAuthenticators(
  config: ServiceAccountAuthentication,
  { audiences, logger, now }: TokenEnvironment,
): readonly TokenAuthenticator[] {
  const { keys, issuers, objects, observe } = config;
  const { lookup, labelSecret } = config;
  const options = { objects, logger, now, ...(observe === undefined ? undefined : { observe }) };
  const observeLegacy = () => observe?.('legacy');
  const shared = { keys, audiences, observeLegacy };
  const legacy = legacyTokenValidator({ ...options, lookup, labelSecret });
  return [
    createJwtAuthenticator({ ...shared, issuers: [LEGACY_ISSUER], validator: legacy }),
    createJwtAuthenticator({ ...shared, issuers, validator: boundTokenValidator(options) }),
  ];
}
