import { messageOf } from '@apiserver/apimachinery/errors';
import { isMembers, jsonTypeName } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import { untrustedHeader, untrustedPayload } from '../../jws/compact-jws.js';
import type { VerifyingKey } from '../../jws/json-web-key.js';
import { type JwsHeader, verifyJws } from '../../jws/verify-jws.js';
import { TokenError } from '../../token-error.js';
import { checkIdToken } from '../claims/check-id-token.js';
import type { Claims } from '../claims/decode-claim.js';
import type { RemoteKeySet } from '../keys/remote-key-set.js';

/** Tokens that a verifier accepts. */
export interface TokenVerifierOptions {
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** Signature algorithms that tokens may have. */
  readonly algorithms: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Verifies the tokens of one issuer whose keys are known.
 * Upstream: IDTokenVerifier of github.com/coreos/go-oidc/verify.go
 */
export class TokenVerifier {
  readonly #options: TokenVerifierOptions;
  readonly #keys: RemoteKeySet;

  constructor(options: TokenVerifierOptions, keys: RemoteKeySet) {
    this.#options = options;
    this.#keys = keys;
  }

  /** Returns the claims. Throws an Error with upstream's message for a token that is not valid. */
  async verify(token: string): Promise<Claims> {
    const { issuer, audiences, algorithms, now } = this.#options;
    const header = await untrustedHeader(token);
    const algorithm = typeof header['alg'] === 'string' ? header['alg'] : '';
    if (!algorithms.includes(algorithm)) {
      throw new TokenError(
        `oidc: id token signed with unsupported algorithm, expected [${algorithms.map(quote).join(' ')}] got ${quote(algorithm)}`,
      );
    }
    const keyId = typeof header['kid'] === 'string' ? header['kid'] : '';
    await this.#keys
      .verify(keyId, (key) => isSignedBy(key, token, header))
      .catch((error: unknown) => {
        throw new TokenError(`failed to verify signature: ${messageOf(error)}`, { cause: error });
      });
    const claims = claimsOf(token);
    checkIdToken(claims, { issuer, audiences, now: now() });
    return claims;
  }
}

function isSignedBy({ key }: VerifyingKey, token: string, header: JwsHeader): boolean {
  if (key === undefined) return false;
  try {
    verifyJws(key, token, header);
    return true;
  } catch {
    return false;
  }
}

function claimsOf(token: string): Claims {
  const payload = untrustedPayload(token);
  if (isMembers(payload)) return payload;
  if (payload === null) return {};
  const what = jsonTypeName(payload);
  throw new TokenError(
    `oidc: failed to unmarshal claims: json: cannot unmarshal ${what} into Go value of type oidc.idToken`,
  );
}
