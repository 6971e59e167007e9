import { messageOf } from '@apiserver/apimachinery/errors';
import { isMembers } from '@apiserver/apimachinery/json';
import { TokenError } from '../token-error.js';
import { certificateChain } from './certificate-chain.js';
import { parseJsonWebKey } from './json-web-key.js';
import type { JwsHeader } from './verify-jws.js';

/**
 * Throws an Error for a header with a wrong key or a wrong certificate. They are read, but verify nothing.
 * Upstream: rawHeader.sanitized and rawJSONWebSignature.sanitized of gopkg.in/go-jose/go-jose.v2
 */
export function checkEmbeddedKeys({ jwk, x5c }: JwsHeader): void {
  if (jwk !== undefined && jwk !== null) {
    within('JWK', () => parseJsonWebKey(jwk));
    if (!isPublic(jwk)) throw new TokenError('go-jose/go-jose: invalid embedded jwk, must be public key');
  }
  within('x5c header', () => certificateChain(x5c));
}

function within(part: string, read: () => unknown): void {
  try {
    read();
  } catch (error) {
    throw new TokenError(`failed to unmarshal ${part}: ${messageOf(error)}`, { cause: error });
  }
}

function isPublic(jwk: unknown): boolean {
  return isMembers(jwk) && jwk['kty'] !== 'oct' && (jwk['d'] === undefined || jwk['d'] === null);
}
