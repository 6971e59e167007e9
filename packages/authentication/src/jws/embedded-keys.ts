import { messageOf } from '@apiserver/apimachinery/errors';
import { isMembers } from '@apiserver/apimachinery/json';
import { TokenError } from '../token-error.js';
import { certificateChainSteps } from './certificate-chain.js';
import { parseJsonWebKeySteps } from './json-web-key.js';
import type { JwsHeader } from './verify-jws.js';

/**
 * Throws an Error for a header with a wrong key or a wrong certificate. They are read, but verify nothing. A step is one
 * certificate: anybody may send thousands.
 * Upstream: rawHeader.sanitized and rawJSONWebSignature.sanitized of gopkg.in/go-jose/go-jose.v2
 */
export function* checkEmbeddedKeysSteps({ jwk, x5c }: JwsHeader): Generator<void, void> {
  if (jwk !== undefined && jwk !== null) {
    yield* within('JWK', parseJsonWebKeySteps(jwk));
    if (!isPublic(jwk)) throw new TokenError('go-jose/go-jose: invalid embedded jwk, must be public key');
  }
  yield* within('x5c header', certificateChainSteps(x5c));
}

function* within(part: string, steps: Generator<void, unknown>): Generator<void, void> {
  try {
    yield* steps;
  } catch (error) {
    throw new TokenError(`failed to unmarshal ${part}: ${messageOf(error)}`, { cause: error });
  }
}

function isPublic(jwk: unknown): boolean {
  return isMembers(jwk) && jwk['kty'] !== 'oct' && (jwk['d'] === undefined || jwk['d'] === null);
}
