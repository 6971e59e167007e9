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
 * Takes every request as system:anonymous. Stands last, behind a union that ends at a bad credential.
 * Upstream: k8s.io/apiserver/pkg/authentication/request/anonymous
 */
export function anonymousAuthenticator(): Authenticator {
  return { authenticateRequest: () => anonymous };
}
