import { createHash, timingSafeEqual } from 'node:crypto';
import { ParseError } from '@apiserver/apimachinery/text';
import type { AuthenticationResponse, Logger, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import { csvRecords } from '@apiserver/component-base/flags';

/** The contents of a token file. */
export interface TokenFile {
  /** For error messages. */
  readonly path: string;
  /** Records of token, username, UID and, optionally, comma-separated groups. */
  readonly text: string;
}

/**
 * Authenticates the tokens of a file. Throws a ParseError with upstream's message if the file is invalid.
 * Upstream: k8s.io/apiserver/pkg/authentication/token/tokenfile
 */
export function createTokenFileAuthenticator(file: TokenFile, logger: Logger): TokenAuthenticator {
  const users = readTokens(file, logger);
  return {
    authenticateToken: async (token) => {
      const digest = digestOf(token);
      const entry = users.get(digest.toString('latin1'));
      return entry !== undefined && timingSafeEqual(entry.digest, digest) ? entry.response : undefined;
    },
  };
}

interface Entry {
  readonly digest: Buffer;
  readonly response: AuthenticationResponse;
}

/** Keyed by digest, so that the time of a lookup reveals nothing about the tokens. */
function readTokens({ path, text }: TokenFile, logger: Logger): Map<string, Entry> {
  const users = new Map<string, Entry>();
  let recordNumber = 0;
  for (const record of csvRecords(text)) {
    recordNumber++;
    const [token = '', name = '', uid = '', groups] = record;
    if (record.length < 3) {
      throw new ParseError(
        `token file '${path}' must have at least 3 columns (token, user name, user uid), found ${record.length}`,
      );
    }
    if (token === '') {
      logger.warning('empty token has been found in token file', { path, recordNumber });
      continue;
    }
    const digest = digestOf(token);
    const key = digest.toString('latin1');
    if (users.has(key)) {
      logger.warning('duplicate token has been found in token file', { path, recordNumber });
    }
    users.set(key, { digest, response: { user: userOf(name, uid, groups) } });
  }
  return users;
}

function userOf(name: string, uid: string, groups: string | undefined) {
  return {
    name,
    ...(uid === '' ? undefined : { uid }),
    groups: groups === undefined ? [] : groups.split(','),
    extra: {},
  };
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
