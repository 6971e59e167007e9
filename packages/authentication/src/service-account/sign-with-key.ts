import type { KeyObject } from 'node:crypto';
import { verificationKey } from './public-keys.js';
import type { TokenSigner } from './token-generator.js';

/**
 * Signs with a private key of this server. Throws an Error for a key of an unsupported type.
 * Upstream: JWTTokenGenerator in pkg/serviceaccount/jwt.go
 */
export function signWithKey(signingKey: KeyObject): TokenSigner {
  const { algorithm, keyId } = verificationKey(signingKey);
  return async (claims) => {
    const { default: jwt } = await import('jsonwebtoken');
    // Upstream's headers have no `typ`.
    const header = { alg: algorithm, kid: keyId, typ: undefined };
    // Otherwise it adds the time.
    const noTimestamp = claims.iat === undefined;
    return jwt.sign(claims, signingKey, { algorithm, header, noTimestamp, allowInsecureKeySizes: true });
  };
}
