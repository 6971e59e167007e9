import type { Authenticator, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import { TokenError } from '../token-error.js';

const SPACE_BEFORE_TOKEN =
  'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** The error of every token authenticator for an unknown token. */
export function invalidBearerToken(): Error {
  return new TokenError('invalid bearer token');
}

/**
 * Passes the token of `Authorization: Bearer …` to a token authenticator. An unknown token is an error, so that the
 * request does not become anonymous.
 * Upstream: k8s.io/apiserver/pkg/authentication/request/bearertoken
 */
export function bearerTokenAuthenticator(tokens: TokenAuthenticator): Authenticator {
  return {
    authenticateRequest: ({ request, context }) => {
      const header = request.headers.get('authorization')?.trim();
      if (header === undefined || header === '') return undefined;
      const [scheme, token, ...rest] = header.split(' ', 3);
      if (token === undefined || scheme?.toLowerCase() !== 'bearer') return undefined;
      if (token === '') {
        if (rest.length > 0) context.warnings.warn(SPACE_BEFORE_TOKEN);
        return undefined;
      }
      return tokens.authenticateToken(token, undefined, context).then((response) => {
        if (response === undefined) throw invalidBearerToken();
        return response;
      });
    },
  };
}
