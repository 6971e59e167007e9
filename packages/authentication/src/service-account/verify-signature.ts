import { atOnce } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import { aggregateMessages } from '@apiserver/apimachinery/field';
import { checkEmbeddedKeysSteps } from '../jws/embedded-keys.js';
import { jsonPart } from '../jws/json-part.js';
import { type JwsHeader, verifyJws } from '../jws/verify-jws.js';
import { TokenError } from '../token-error.js';
import type { KeySource } from './key-source.js';

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
  if (!hasUsableKeys(header)) return false;
  const keyId = header['kid'] ?? '';
  const candidates = await keys.keysOf(typeof keyId === 'string' ? keyId : '');
  if (candidates.length === 0) throw new TokenError('invalid signature, no keys found');
  const failures: string[] = [];
  for (const candidate of candidates) {
    try {
      verifyJws(candidate.key, token, header);
      return true;
    } catch (error) {
      failures.push(messageOf(error));
    }
  }
  throw new TokenError(aggregateMessages(failures));
}

function hasUsableKeys(header: JwsHeader): boolean {
  try {
    atOnce(checkEmbeddedKeysSteps(header));
    return true;
  } catch {
    return false;
  }
}

function isText(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}
