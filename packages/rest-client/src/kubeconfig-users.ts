import { readKubeconfig, type UserEntry } from './kubeconfig-entries.js';
import { userFields } from './load-kubeconfig.js';
import type { RestConfigFields } from './rest-config.js';

/** The credentials of a user of a kubeconfig. */
export type UserCredentials = Omit<RestConfigFields, 'server'>;

/** A user whose credentials come from a plugin. */
class UnsupportedUserError extends Error {
  override readonly name = 'UnsupportedUserError';

  constructor() {
    super('auth provider not supported');
  }
}

const ANONYMOUS: UserCredentials = {};

/**
 * Finds the user of a kubeconfig for a host and port: by that name, by a name such as `*.example.com:443`, without the
 * port 443, by `*`, or the user of the current context. Without any, requests are anonymous. The function throws an
 * Error for a user with a plugin or with files that cannot be read.
 * Upstream: defaultAuthenticationInfoResolver of k8s.io/apiserver/pkg/util/webhook/authentication.go
 */
export function kubeconfigUsers(
  kubeconfig: unknown,
  directory: string,
  now: () => number,
): (target: string) => UserCredentials {
  const { users, contexts, currentContext } = readKubeconfig(kubeconfig, directory);
  const current = users.get(contexts.get(currentContext)?.user ?? '');
  return (target) => {
    const name = namesFor(target).find((candidate) => users.has(candidate));
    const user = name === undefined ? current : users.get(name);
    return user === undefined ? ANONYMOUS : credentialsOf(user, now);
  };
}

function credentialsOf(user: UserEntry, now: () => number): UserCredentials {
  if (user.hasPlugin === true) throw new UnsupportedUserError();
  return userFields(user, now);
}

/** The names of users for a target, the most specific first. */
function namesFor(target: string): readonly string[] {
  const withoutPort = target.endsWith(':443') ? [target.slice(0, -':443'.length)] : [];
  return [...[target, ...withoutPort].flatMap((host) => [host, ...wildcards(host)]), '*'];
}

function wildcards(host: string): readonly string[] {
  const steps = host.split('.');
  return steps.slice(1).map((_, i) => `*.${steps.slice(i + 1).join('.')}`);
}
