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
 * Authenticates every request as system:anonymous, or only those for one of `paths` if there are any. It comes last,
 * behind a union that fails on a bad credential.
 * Upstream: k8s.io/apiserver/pkg/authentication/request/anonymous
 */
export function anonymousAuthenticator(paths: readonly string[] = []): Authenticator {
  if (paths.length === 0) return { authenticateRequest: () => anonymous };
  const allowed = new Set(paths);
  return { authenticateRequest: ({ request }) => (allowed.has(request.path) ? anonymous : undefined) };
}
