import type { TokenAuthenticator } from '@apiserver/apiserver-contracts';

/**
 * Accepts all of the server's own audiences for an authenticator without audiences. Its tokens are valid if one of
 * these is requested, and unknown otherwise.
 * Upstream: k8s.io/apiserver/pkg/authentication/authenticator.WrapAudienceAgnosticToken
 */
export function audienceAgnostic(tokens: TokenAuthenticator, own: readonly string[]): TokenAuthenticator {
  return {
    authenticateToken: async (token, audiences, recorder) => {
      if (audiences === undefined) return tokens.authenticateToken(token, undefined, recorder);
      const shared = own.filter((audience) => audiences.includes(audience));
      if (shared.length === 0) return undefined;
      const response = await tokens.authenticateToken(token, audiences, recorder);
      return response && { ...response, audiences: shared };
    },
  };
}
