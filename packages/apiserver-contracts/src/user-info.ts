/** The user of a request. Upstream: k8s.io/apiserver/pkg/authentication/user */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** Keys are lower-case; values keep their order. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Users that the protocol defines. */
export const wellKnownUsers = {
  anonymous: 'system:anonymous',
  apiServer: 'system:apiserver',
} as const;

/** Groups that the protocol defines. */
export const wellKnownGroups = {
  privileged: 'system:masters',
  authenticated: 'system:authenticated',
  unauthenticated: 'system:unauthenticated',
  serviceAccounts: 'system:serviceaccounts',
  nodes: 'system:nodes',
} as const;

const NODE_USER_PREFIX = 'system:node:';

/**
 * The node name of a user: "" for a node without a name, undefined for any other user.
 * Upstream: pkg/auth/nodeidentifier/default.go
 */
export function nodeNameOf(user: UserInfo | undefined): string | undefined {
  if (user === undefined || !user.name.startsWith(NODE_USER_PREFIX)) return undefined;
  return user.groups.includes(wellKnownGroups.nodes) ? user.name.slice(NODE_USER_PREFIX.length) : undefined;
}
