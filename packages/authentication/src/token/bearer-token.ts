import type { Authenticator, TokenAuthenticator } from '@apiserver/apiserver-contracts';

const spaceBeforeToken =
  'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** What every authenticator of tokens throws for a token that nobody knows. */
export function invalidBearerToken(): Error {
  return new Error('invalid bearer token');
}

/**
 * Takes the token of `Authorization: Bearer …` to a token authenticator. An unknown token is an error, so that it does not
 * count as anonymous.
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
        if (rest.length > 0) context.warnings.warn(spaceBeforeToken);
        return undefined;
      }
      return tokens.authenticateToken(token, undefined, context.warnings).then((response) => {
        if (response === undefined) throw invalidBearerToken();
        return response;
      });
    },
  };
}
