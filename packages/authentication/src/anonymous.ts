import {
  type AuthenticationResponse,
  type Authenticator,
  wellKnownGroups,
  wellKnownUsers,
} from '@apiserver/apiserver-contracts';

const anonymous: AuthenticationResponse = {
  user: { name: wellKnownUsers.anonymous, groups: [wellKnownGroups.unauthenticated], extra: {} },
};

/**
 * Authenticates every request as system:anonymous. It comes last, behind a union that fails on a bad credential.
 * Upstream: k8s.io/apiserver/pkg/authentication/request/anonymous
 */
export function anonymousAuthenticator(): Authenticator {
  return { authenticateRequest: () => anonymous };
}
