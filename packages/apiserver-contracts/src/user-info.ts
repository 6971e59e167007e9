/** The user of a request. Upstream: k8s.io/apiserver/pkg/authentication/user */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** Keys are lower-case; values keep their order. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** A user in the form of the API, such as authentication.k8s.io/v1 UserInfo. Empty members are absent. */
export interface ShownUser {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

/** Copies a user into the form of the API. */
export function shownUser({ name, uid = '', groups, extra }: UserInfo): ShownUser {
  const keys = Object.entries(extra).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    ...(name === '' ? undefined : { username: name }),
    ...(uid === '' ? undefined : { uid }),
    ...(groups.length === 0 ? undefined : { groups: [...groups] }),
    ...(keys.length === 0 ? undefined : { extra: Object.fromEntries(keys) }),
  };
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
