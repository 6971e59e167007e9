import type { UserInfo as ReviewedUser, TokenReviewSpec, TokenReviewStatus } from '@apiserver/api/authentication/v1';
import type { AuthenticationResponse, Logger, TokenAuthenticator, UserInfo } from '@apiserver/apiserver-contracts';
import { TokenError } from '../token-error.js';

/** Has another server review a token. Rejects when there is no review. */
export type TokenReviewer = (spec: TokenReviewSpec) => Promise<TokenReviewStatus>;

/** Dependencies of a webhook for tokens. */
export interface WebhookTokenAuthenticatorOptions {
  readonly review: TokenReviewer;
  /** The audiences of a review that names none. Default: none. */
  readonly implicitAudiences?: readonly string[];
  readonly logger: Logger;
}

/**
 * Knows the tokens that another server knows. Every call is a review: put a cache before it.
 * Upstream: k8s.io/apiserver/plugin/pkg/authenticator/token/webhook
 */
export function webhookTokenAuthenticator(options: WebhookTokenAuthenticatorOptions): TokenAuthenticator {
  return {
    async authenticateToken(token, audiences) {
      const status = await reviewed(options, { token, ...(audiences && { audiences: [...audiences] }) });
      const shared = audiences && sharedAudiences(audiences, status, options);
      if (shared?.length === 0) return undefined;
      if (status.authenticated !== true) {
        if (status.error) throw new TokenError(status.error);
        return undefined;
      }
      return responseOf(status.user, shared);
    },
  };
}

async function reviewed({ review, logger }: WebhookTokenAuthenticatorOptions, spec: TokenReviewSpec) {
  try {
    return await review(spec);
  } catch (error) {
    logger.error(error, 'Failed to make webhook authenticator request');
    throw error;
  }
}

function sharedAudiences(
  wanted: readonly string[],
  { audiences = [] }: TokenReviewStatus,
  { implicitAudiences = [] }: WebhookTokenAuthenticatorOptions,
): readonly string[] {
  const got = audiences.length > 0 ? audiences : implicitAudiences;
  return wanted.filter((audience) => got.includes(audience));
}

function responseOf(reviewed: ReviewedUser, audiences: readonly string[] | undefined): AuthenticationResponse {
  const { username = '', uid, groups = [], extra = {} } = reviewed;
  const user: UserInfo = { name: username, ...(uid ? { uid } : {}), groups, extra };
  return { user, ...(audiences && { audiences }) };
}
