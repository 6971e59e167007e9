import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { installedSelfSubjectReview } from './self-subject-review.js';
import { installedTokenReview, type TokenReviewOptions } from './token-review.js';

/** Dependencies of the authentication reviews. */
export interface AuthenticationReviewOptions extends TokenReviewOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The group authentication.k8s.io: its kinds are not stored. Upstream: pkg/registry/authentication/rest */
export function authenticationGroup(options: AuthenticationReviewOptions): APIGroupInfo {
  return {
    group: 'authentication.k8s.io',
    versions: ['v1'],
    resources: [installedSelfSubjectReview(options.now), installedTokenReview(options)],
  };
}
