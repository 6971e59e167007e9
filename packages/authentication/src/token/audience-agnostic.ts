import type { TokenAuthenticator } from '@apiserver/apiserver-contracts';

/**
 * Lets an authenticator that knows nothing of audiences stand for all of the server's own: its tokens are good where one
 * of those is asked for, and unknown elsewhere.
 * Upstream: k8s.io/apiserver/pkg/authentication/authenticator.WrapAudienceAgnosticToken
 */
export function audienceAgnostic(tokens: TokenAuthenticator, own: readonly string[]): TokenAuthenticator {
  return {
    authenticateToken: async (token, audiences, warnings) => {
      if (audiences === undefined) return tokens.authenticateToken(token, undefined, warnings);
      const shared = own.filter((audience) => audiences.includes(audience));
      if (shared.length === 0) return undefined;
      const response = await tokens.authenticateToken(token, audiences, warnings);
      return response && { ...response, audiences: shared };
    },
  };
}
