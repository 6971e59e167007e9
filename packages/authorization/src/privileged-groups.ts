import type { AuthorizationResult, Authorizer } from '@apiserver/apiserver-contracts';

const allow: AuthorizationResult = { decision: 'Allow', reason: '' };
const noOpinion: AuthorizationResult = { decision: 'NoOpinion', reason: '' };

/**
 * Allows members of the groups everything, and has no opinion on other users.
 * Upstream: k8s.io/apiserver/pkg/authorization/authorizerfactory.NewPrivilegedGroups
 */
export function privilegedGroupsAuthorizer(groups: readonly string[]): Authorizer {
  const privileged = new Set(groups);
  return {
    authorize: ({ user }) => {
      for (const group of user.groups) if (privileged.has(group)) return allow;
      return noOpinion;
    },
  };
}
