import type { Logger, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import { boundTokenValidator } from './bound-token-validator.js';
import { createJwtAuthenticator } from './jwt-authenticator.js';
import type { KeySource } from './key-source.js';
import { LEGACY_ISSUER, type LegacyValidatorOptions, legacyTokenValidator } from './legacy-token-validator.js';
import type { TokenObjectGetter, TokenUse } from './token-objects.js';

/** Configuration of service account tokens. */
export interface ServiceAccountAuthentication extends Pick<LegacyValidatorOptions, 'lookup' | 'labelSecret'> {
  /** The accepted issuers. Upstream flag: --service-account-issuer */
  readonly issuers: readonly string[];
  /** The public keys that verify tokens. Upstream flag: --service-account-key-file */
  readonly keys: KeySource;
  readonly objects: TokenObjectGetter;
  readonly observe?: (use: TokenUse) => void;
}

/** Dependencies shared with the server's other authenticators. */
export interface TokenEnvironment {
  readonly audiences: readonly string[];
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Authenticates tokens in secrets and tokens of the TokenRequest API; the issuer selects the validator.
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
