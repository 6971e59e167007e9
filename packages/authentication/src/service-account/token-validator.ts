import type { Logger, TokenRecorder } from '@apiserver/apiserver-contracts';
import type { ServiceAccountInfo } from './service-account-user.js';
import type { TokenClaims } from './token-claims.js';
import type { TokenObjectGetter, TokenUse } from './token-objects.js';

/** A token with verified signature, issuer and audience. */
export interface VerifiedToken {
  readonly token: string;
  readonly claims: TokenClaims;
  /** Of the request that carries the token, if any. */
  readonly recorder: TokenRecorder | undefined;
}

/**
 * Returns the service account of a verified token. Throws an Error with upstream's message if the token is no longer
 * valid.
 * Upstream: Validator in pkg/serviceaccount/jwt.go
 */
export interface TokenValidator {
  validate(token: VerifiedToken): Promise<ServiceAccountInfo>;
}

/** Dependencies of validators. */
export interface ValidatorOptions {
  readonly objects: TokenObjectGetter;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly observe?: (use: TokenUse) => void;
}
