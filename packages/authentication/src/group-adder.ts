import {
  type AuthenticationResponse,
  type Authenticator,
  wellKnownGroups,
  wellKnownUsers,
} from '@apiserver/apiserver-contracts';

/**
 * Adds system:authenticated to everybody an authenticator knows, except system:anonymous and who is already in one of
 * system:authenticated and system:unauthenticated.
 * Upstream: k8s.io/apiserver/pkg/authentication/group.AuthenticatedGroupAdder
 */
export function authenticatedGroupAdder(authenticator: Authenticator): Authenticator {
  // The same answer comes back for every request of a connection: its enlarged form is kept with it.
  const enlarged = new WeakMap<AuthenticationResponse, AuthenticationResponse>();
  const enlarge = (response: AuthenticationResponse | undefined): AuthenticationResponse | undefined => {
    if (response === undefined || !lacksGroup(response)) return response;
    const known = enlarged.get(response);
    if (known !== undefined) return known;
    const { user } = response;
    const made = { ...response, user: { ...user, groups: [...user.groups, wellKnownGroups.authenticated] } };
    enlarged.set(response, made);
    return made;
  };
  return { authenticateRequest: async (exchange) => enlarge(await authenticator.authenticateRequest(exchange)) };
}

function lacksGroup({ user }: AuthenticationResponse): boolean {
  return (
    user.name !== wellKnownUsers.anonymous &&
    !user.groups.includes(wellKnownGroups.authenticated) &&
    !user.groups.includes(wellKnownGroups.unauthenticated)
  );
}
