import { TokenReview, type TokenReviewStatus } from '@apiserver/api/authentication/v1';
import { messageOf, newBadRequest, newInternalError } from '@apiserver/apimachinery/errors';
import { trimSpace } from '@apiserver/apimachinery/text';
import {
  type AuthenticationResponse,
  type InstalledResource,
  shownUser,
  type TokenAuthenticator,
} from '@apiserver/apiserver-contracts';
import { defineReview, installedReview } from '../review/define-review.js';

/** Authenticates a token. */
const tokenReviews = defineReview(TokenReview);

/** Dependencies of token reviews. */
export interface TokenReviewOptions {
  readonly tokenAuthenticator: TokenAuthenticator | undefined;
  /** The default audiences, if the review has none. */
  readonly apiAudiences: readonly string[];
}

/** Upstream: pkg/registry/authentication/tokenreview/storage.go */
export function installedTokenReview(options: TokenReviewOptions): InstalledResource {
  return installedReview(tokenReviews, async (_context, review, validate) => {
    const { token = '', audiences = [] } = review.spec;
    if (token === '') throw newBadRequest('token is required for TokenReview in authentication');
    await validate(review);
    const { tokenAuthenticator } = options;
    // Without one, the review comes back as it was sent.
    if (tokenAuthenticator === undefined) return review;
    review.status = await statusOf(
      tokenAuthenticator,
      { token: sentToken(token), audiences: audiences.length === 0 ? options.apiAudiences : audiences },
      review.status,
    );
    return review;
  });
}

/** The token of a request with this one in its header: upstream authenticates such a request. */
function sentToken(token: string): string {
  return trimSpace(`Bearer ${token}`).split(' ', 2)[1] ?? '';
}

/** As upstream, fields that the answer says nothing about stay as they were sent. */
async function statusOf(
  tokenAuthenticator: TokenAuthenticator,
  { token, audiences }: { readonly token: string; readonly audiences: readonly string[] },
  { authenticated: _, ...sent }: TokenReviewStatus = { user: {} },
): Promise<TokenReviewStatus> {
  const requested = audiences.length === 0 ? undefined : audiences;
  let response: AuthenticationResponse | undefined;
  try {
    response = await tokenAuthenticator.authenticateToken(token, requested);
  } catch (error) {
    return { ...sent, error: messageOf(error) };
  }
  if (response === undefined) return { ...sent, error: 'invalid bearer token' };
  const granted = response.audiences ?? [];
  if (audiences.length > 0 && !audiences.some((audience) => granted.includes(audience))) {
    throw newInternalError(new Error('error validating audiences'));
  }
  return {
    authenticated: true,
    user: shownUser(response.user),
    ...(granted.length === 0 ? undefined : { audiences: [...granted] }),
    ...(sent.error === undefined ? undefined : { error: sent.error }),
  };
}
