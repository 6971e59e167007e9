import {
  type AuthenticationResponse,
  type Authenticator,
  type TokenAuthenticator,
  wellKnownGroups,
  wellKnownUsers,
} from '@apiserver/apiserver-contracts';

/**
 * Adds system:authenticated to everybody an authenticator knows, except system:anonymous and who is already in one of
 * system:authenticated and system:unauthenticated.
 * Upstream: k8s.io/apiserver/pkg/authentication/group.AuthenticatedGroupAdder
 */
export function authenticatedGroupAdder(authenticator: Authenticator): Authenticator {
  const enlarge = enlarger();
  return {
    authenticateRequest: (exchange) => {
      const response = authenticator.authenticateRequest(exchange);
      return response instanceof Promise ? response.then(enlarge) : enlarge(response);
    },
  };
}

/** The same for tokens. Upstream: k8s.io/apiserver/pkg/authentication/group.TokenGroupAdder */
export function authenticatedTokenGroupAdder(tokens: TokenAuthenticator): TokenAuthenticator {
  const enlarge = enlarger();
  return {
    authenticateToken: async (token, audiences, warnings) =>
      enlarge(await tokens.authenticateToken(token, audiences, warnings)),
  };
}

type Enlarge = (response: AuthenticationResponse | undefined) => AuthenticationResponse | undefined;

/** The same answer comes back for every request of a connection: its enlarged form is kept with it. */
function enlarger(): Enlarge {
  const enlarged = new WeakMap<AuthenticationResponse, AuthenticationResponse>();
  return (response) => {
    if (response === undefined || !lacksGroup(response)) return response;
    const known = enlarged.get(response);
    if (known !== undefined) return known;
    const { user } = response;
    const made = { ...response, user: { ...user, groups: [...user.groups, wellKnownGroups.authenticated] } };
    enlarged.set(response, made);
    return made;
  };
}

function lacksGroup({ user }: AuthenticationResponse): boolean {
  return (
    user.name !== wellKnownUsers.anonymous &&
    !user.groups.includes(wellKnownGroups.authenticated) &&
    !user.groups.includes(wellKnownGroups.unauthenticated)
  );
}
