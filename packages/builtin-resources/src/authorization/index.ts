import type { APIGroupInfo, Authorizer, RuleResolver } from '@apiserver/apiserver-contracts';
import { installedAccessReviews } from './access-reviews.js';
import { installedRulesReview } from './rules-review.js';

/** Dependencies of the authorization reviews. */
export interface AuthorizationReviewOptions {
  readonly authorizer: Authorizer;
  readonly ruleResolver: RuleResolver;
}

/** The group authorization.k8s.io: its kinds are not stored. Upstream: pkg/registry/authorization/rest */
export function authorizationGroup({ authorizer, ruleResolver }: AuthorizationReviewOptions): APIGroupInfo {
  return {
    group: 'authorization.k8s.io',
    versions: ['v1'],
    resources: [...installedAccessReviews(authorizer), installedRulesReview(ruleResolver)],
  };
}
