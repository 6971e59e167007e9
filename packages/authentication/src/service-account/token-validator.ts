import type { Logger, WarningRecorder } from '@apiserver/apiserver-contracts';
import type { ServiceAccountInfo } from './service-account-user.js';
import type { TokenClaims } from './token-claims.js';
import type { TokenObjectGetter, TokenUse } from './token-objects.js';

/** A token whose signature, issuer and audience are good. */
export interface VerifiedToken {
  readonly token: string;
  readonly claims: TokenClaims;
  /** Of the request that the token came with, if it came with one. */
  readonly warnings: WarningRecorder | undefined;
}

/**
 * Says who a verified token speaks for; throws an Error with upstream's words when it is not good any more.
 * Upstream: Validator in pkg/serviceaccount/jwt.go
 */
export interface TokenValidator {
  validate(token: VerifiedToken): Promise<ServiceAccountInfo>;
}

/** What validators work with. */
export interface ValidatorOptions {
  readonly objects: TokenObjectGetter;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly observe?: (use: TokenUse) => void;
}
