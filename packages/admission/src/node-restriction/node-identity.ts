import { type UserInfo, wellKnownGroups } from '@apiserver/apiserver-contracts';

const USER_PREFIX = 'system:node:';

/**
 * The node name of a user: "" for a node without a name, undefined for any other user.
 * Upstream: pkg/auth/nodeidentifier/default.go
 */
export function nodeNameOf(user: UserInfo | undefined): string | undefined {
  if (user === undefined || !user.name.startsWith(USER_PREFIX)) return undefined;
  return user.groups.includes(wellKnownGroups.nodes) ? user.name.slice(USER_PREFIX.length) : undefined;
}
