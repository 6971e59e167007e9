import type { AuthorizationResult, Authorizer } from '@apiserver/apiserver-contracts';

const allow: AuthorizationResult = { decision: 'Allow', reason: '' };
const forbidden: AuthorizationResult = { decision: 'NoOpinion', reason: 'Everything is forbidden.' };

/**
 * Allows every request. For test clusters only.
 * Upstream: k8s.io/apiserver/pkg/authorization/authorizerfactory.NewAlwaysAllowAuthorizer
 */
export function alwaysAllow(): Authorizer {
  return { authorize: () => allow };
}

/**
 * Lets nobody through. It answers NoOpinion rather than Deny, so that an authorizer beside it can still allow.
 * Upstream: k8s.io/apiserver/pkg/authorization/authorizerfactory.NewAlwaysDenyAuthorizer
 */
export function alwaysDeny(): Authorizer {
  return { authorize: () => forbidden };
}
