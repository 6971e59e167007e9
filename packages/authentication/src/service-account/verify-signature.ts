import { Buffer } from 'node:buffer';
import { constants, verify } from 'node:crypto';
import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import { jsonPart } from './json-part.js';
import type { KeySource } from './key-source.js';
import type { VerificationKey } from './public-keys.js';

/**
 * Header parameters that a token's `crit` may list. Upstream: supportedCritical of
 * gopkg.in/go-jose/go-jose.v2/shared.go
 */
const supportedCritical: ReadonlySet<unknown> = new Set(['b64']);

/**
 * Verifies a compact JWT with the key that its header names, or with any key if it names none. Returns false if it is
 * not well formed. Throws if the key is unknown, the signature is wrong, or a critical header parameter is
 * unsupported.
 * Upstream: JSONWebSignature.DetachedVerify of gopkg.in/go-jose/go-jose.v2; jwtTokenAuthenticator in
 * pkg/serviceaccount/jwt.go
 */
export async function verifySignature(token: string, keys: KeySource): Promise<boolean> {
  const header = jsonPart(token, 0);
  if (header === undefined || !['alg', 'kid', 'nonce'].every((name) => isText(header[name]))) return false;
  if (!/^[A-Za-z0-9_-]*$/.test(token.slice(token.lastIndexOf('.') + 1))) return false;
  const keyId = header['kid'] ?? '';
  const candidates = await keys.keysOf(typeof keyId === 'string' ? keyId : '');
  if (candidates.length === 0) throw new Error('invalid signature, no keys found');
  const failures: string[] = [];
  for (const candidate of candidates) {
    try {
      verifyWith(candidate, token, header);
      return true;
    } catch (error) {
      failures.push(messageOf(error));
    }
  }
  throw new Error(aggregateMessages(failures));
}

function isText(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

function verifyWith(key: VerificationKey, token: string, header: Readonly<Record<string, unknown>>): void {
  const critical = header['crit'] ?? [];
  if (!Array.isArray(critical)) throw new Error('go-jose/go-jose: invalid crit header');
  const way = wayOf(key, header['alg']);
  if (way === undefined || !critical.every((name) => supportedCritical.has(name))) throw cryptoFailure();
  const [head = '', payload = '', signature = ''] = token.split('.', 3);
  const body = header['b64'] === false ? Buffer.from(payload, 'base64url') : Buffer.from(payload);
  const signed = Buffer.concat([Buffer.from(`${head}.`), body]);
  const { digest, ...how } = way;
  if (!verify(digest, signed, { key: key.key, ...how }, Buffer.from(signature, 'base64url'))) throw cryptoFailure();
}

/** Node's parameters for verifying with a key and algorithm; undefined if they do not match. */
function wayOf({ algorithm }: VerificationKey, requested: unknown) {
  if (typeof requested !== 'string' || !/^(?:RS|PS|ES)(?:256|384|512)$/.test(requested)) return undefined;
  const digest = `sha${requested.slice(2)}`;
  if (algorithm !== 'RS256')
    return requested === algorithm ? { digest, dsaEncoding: 'ieee-p1363' as const } : undefined;
  if (requested.startsWith('RS')) return { digest, padding: constants.RSA_PKCS1_PADDING };
  if (!requested.startsWith('PS')) return undefined;
  return { digest, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
}

/** Upstream: ErrCryptoFailure of gopkg.in/go-jose/go-jose.v2/shared.go */
function cryptoFailure(): Error {
  return new Error('go-jose/go-jose: error in cryptographic primitive');
}
