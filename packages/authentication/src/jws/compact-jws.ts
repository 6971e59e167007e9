import { inSlices } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import { isMembers } from '@apiserver/apimachinery/json';
import { TokenError } from '../token-error.js';
import { checkEmbeddedKeysSteps } from './embedded-keys.js';
import { tokenJson } from './token-json.js';
import type { JwsHeader } from './verify-jws.js';

const BASE64URL = /^[A-Za-z0-9_-]*$/;

/** The payload of a text that has the form of a compact JWS; undefined for any other text. */
export function untrustedPayload(text: string): unknown {
  const parts = partsOf(text);
  return parts && jsonOf(parts[1]);
}

/** The header of a text that has the form of a compact JWS. Rejects with an Error for any other text. */
export async function untrustedHeader(text: string): Promise<JwsHeader> {
  const parts = partsOf(text);
  const decoded = parts && jsonOf(parts[0]);
  const found = decoded === null ? {} : decoded;
  if (parts === undefined || !isMembers(found) || !BASE64URL.test(parts[2])) {
    throw new TokenError('oidc: malformed jwt');
  }
  const wrong = ['alg', 'kid', 'nonce'].find((name) => !isTextOrAbsent(found[name]));
  if (wrong !== undefined) throw new TokenError(`oidc: malformed jwt: the header parameter ${wrong} is no text`);
  try {
    await inSlices(checkEmbeddedKeysSteps(found));
  } catch (error) {
    throw new TokenError(`oidc: malformed jwt: ${messageOf(error)}`, { cause: error });
  }
  return found;
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

/** Without `split`: a text may have very many dots. */
function partsOf(text: string): readonly [string, string, string] | undefined {
  const first = text.indexOf('.');
  const second = first < 0 ? -1 : text.indexOf('.', first + 1);
  if (second < 0 || text.includes('.', second + 1)) return undefined;
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}

/** Undefined for a text that is no JSON in base64url. */
function jsonOf(part: string): unknown {
  if (part === '' || !BASE64URL.test(part)) return undefined;
  try {
    return tokenJson(part);
  } catch {
    return undefined;
  }
}
