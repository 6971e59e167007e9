import {
  type AuthenticationResponse,
  type Authenticator,
  type TokenAuthenticator,
  wellKnownGroups,
  wellKnownUsers,
} from '@apiserver/apiserver-contracts';

/**
 * Adds system:authenticated to every authenticated user, except system:anonymous and users who already have that
 * group or system:unauthenticated.
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
    authenticateToken: async (token, audiences, recorder) =>
      enlarge(await tokens.authenticateToken(token, audiences, recorder)),
  };
}

type Enlarge = (response: AuthenticationResponse | undefined) => AuthenticationResponse | undefined;

/**
 * An authenticator returns the same response object for all requests of a connection. Its extended form is cached by
 * that object.
 */
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
