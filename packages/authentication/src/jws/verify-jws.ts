import { Buffer } from 'node:buffer';
import { constants, type KeyObject, verify } from 'node:crypto';
import { TokenError } from '../token-error.js';

/** The header of a compact JWS, not verified. */
export type JwsHeader = Readonly<Record<string, unknown>>;

/**
 * Header parameters that a token's `crit` may list. Upstream: supportedCritical of
 * gopkg.in/go-jose/go-jose.v2/shared.go
 */
const SUPPORTED_CRITICAL: ReadonlySet<unknown> = new Set(['b64']);

/** Curves by algorithm. */
const curves: Readonly<Record<string, string>> = { ES256: 'prime256v1', ES384: 'secp384r1', ES512: 'secp521r1' };

/**
 * Verifies a compact JWS of three parts with a key. Throws a TokenError if the signature is wrong, the key does not fit the
 * algorithm, or a critical header parameter is unsupported.
 * Upstream: JSONWebSignature.DetachedVerify of gopkg.in/go-jose/go-jose.v2
 */
export function verifyJws(key: KeyObject, jws: string, header: JwsHeader): void {
  const critical = header['crit'] ?? [];
  if (!Array.isArray(critical)) throw new TokenError('go-jose/go-jose: invalid crit header');
  const way = wayOf(key, header['alg']);
  if (way === undefined || !critical.every((name) => SUPPORTED_CRITICAL.has(name))) throw cryptoFailure();
  const [head = '', payload = '', signature = ''] = jws.split('.', 3);
  const body = header['b64'] === false ? Buffer.from(payload, 'base64url') : Buffer.from(payload);
  const signed = Buffer.concat([Buffer.from(`${head}.`), body]);
  const { digest, ...how } = way;
  if (!verify(digest, signed, { key, ...how }, Buffer.from(signature, 'base64url'))) throw cryptoFailure();
}

/** Node's parameters for verifying with a key and algorithm; undefined if they do not match. */
function wayOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject, algorithm: unknown) {
  if (typeof algorithm !== 'string' || !/^(?:RS|PS|ES)(?:256|384|512)$/.test(algorithm)) return undefined;
  const digest = `sha${algorithm.slice(2)}`;
  if (asymmetricKeyType === 'ec') {
    if (curves[algorithm] !== asymmetricKeyDetails?.namedCurve) return undefined;
    return { digest, dsaEncoding: 'ieee-p1363' as const };
  }
  if (asymmetricKeyType !== 'rsa') return undefined;
  if (algorithm.startsWith('RS')) return { digest, padding: constants.RSA_PKCS1_PADDING };
  if (!algorithm.startsWith('PS')) return undefined;
  return { digest, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
}

/** Upstream: ErrCryptoFailure of gopkg.in/go-jose/go-jose.v2/shared.go */
function cryptoFailure(): TokenError {
  return new TokenError('go-jose/go-jose: error in cryptographic primitive');
}
