import type { AuthorizationResult, Authorizer, RuleResolver } from '@apiserver/apiserver-contracts';

const allow: AuthorizationResult = { decision: 'Allow', reason: '' };
const forbidden: AuthorizationResult = { decision: 'NoOpinion', reason: 'Everything is forbidden.' };

/**
 * Allows every request. For test clusters only.
 * Upstream: k8s.io/apiserver/pkg/authorization/authorizerfactory.NewAlwaysAllowAuthorizer
 */
export function alwaysAllow(): Authorizer & RuleResolver {
  return {
    authorize: () => allow,
    rulesFor: async () => ({
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
      errors: [],
    }),
  };
}

/**
 * Allows no request. It returns NoOpinion, not Deny, so that another authorizer can still allow.
 * Upstream: k8s.io/apiserver/pkg/authorization/authorizerfactory.NewAlwaysDenyAuthorizer
 */
export function alwaysDeny(): Authorizer & RuleResolver {
  return {
    authorize: () => forbidden,
    rulesFor: async () => ({ resourceRules: [], nonResourceRules: [], incomplete: false, errors: [] }),
  };
}
