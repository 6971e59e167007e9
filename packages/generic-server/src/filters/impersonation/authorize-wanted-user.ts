import { quote } from '@apiserver/apimachinery/text';
import { isDNS1123Subdomain } from '@apiserver/apimachinery/validation';
import {
  type AuthorizationAttributes,
  resourceAttributes,
  type UserInfo,
  wellKnownGroups,
  wellKnownUsers,
} from '@apiserver/apiserver-contracts';
import { forbiddenError } from '@apiserver/endpoints-installer';
import type { CheckAuthorization } from './check-authorization.js';
import { nodeOf, serviceAccountGroups, serviceAccountOf } from './wanted-names.js';

/** Number of values from which on a permission for all of them is tried first. */
const MANY = 4;

/** The requester, the target, and the authorizer. */
export interface WantedUserOptions {
  readonly requestor: UserInfo;
  /** "impersonate", or "impersonate:<mode>". */
  readonly verb: string;
  readonly constrained: boolean;
  readonly check: CheckAuthorization;
}

/**
 * Authorizes name, UID, groups and extra of the impersonated user. Each needs a permission. Returns the user with its
 * implied groups. Throws a StatusError 403.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/impersonation.impersonationModeState.check
 */
export async function authorizeWantedUser(wanted: UserInfo, options: WantedUserOptions): Promise<UserInfo> {
  const groups = await authorizeName(wanted, options);
  if (wanted.uid !== undefined) await options.check(attributesOf(options, 'uids', wanted.uid));
  await authorizeGroups(wanted.groups, options);
  await authorizeExtra(wanted.extra, options);
  return { ...wanted, groups: withAuthenticated(wanted.name, groups) };
}

/** Returns the implied groups of the name, or the requested ones. */
async function authorizeName({ name, groups }: UserInfo, options: WantedUserOptions): Promise<readonly string[]> {
  const plain = attributesOf(options, 'users', name);
  const node = options.constrained ? nodeOf(name) : undefined;
  if (node !== undefined) {
    await options.check({ ...plain, resource: 'nodes', name: node });
    return [wellKnownGroups.nodes];
  }
  const account = serviceAccountOf(name);
  if (account === undefined) {
    await options.check(plain);
    return groups;
  }
  await options.check({ ...plain, resource: 'serviceaccounts', ...account });
  return groups.length === 0 ? serviceAccountGroups(account.namespace) : groups;
}

async function authorizeGroups(groups: readonly string[], options: WantedUserOptions): Promise<void> {
  if (groups.length === 0) return;
  const question = (name: string) => attributesOf(options, 'groups', name);
  if (options.constrained) {
    if (groups.includes('')) throw forbiddenError(question(''), 'impersonating the empty string group is not allowed');
    if (groups.includes(wellKnownGroups.privileged)) {
      const reason = 'impersonating the system:masters group is not allowed';
      throw forbiddenError(question(wellKnownGroups.privileged), reason);
    }
    if (groups.length >= MANY && (await allowed(options, question('*')))) return;
  }
  for (const group of groups) await options.check(question(group));
}

async function authorizeExtra(extra: UserInfo['extra'], options: WantedUserOptions): Promise<void> {
  const entries = Object.entries(extra);
  if (entries.length === 0) return;
  const question = (subresource: string, name: string) => ({
    ...attributesOf(options, 'userextras', name),
    subresource,
  });
  if (options.constrained) {
    for (const [key, values] of entries) {
      const wrong = wrongExtra(key, values);
      if (wrong !== undefined) throw forbiddenError(question('', ''), wrong);
    }
    const values = entries.reduce((sum, [, list]) => sum + list.length, 0);
    if (Math.max(entries.length, values) >= MANY && (await allowed(options, question('*', '*')))) return;
  }
  for (const [key, values] of entries) {
    for (const value of values) await options.check(question(key, value));
  }
}

function wrongExtra(key: string, values: readonly string[]): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed';
  const invalid = invalidDomainPrefixedPath(key);
  if (invalid !== undefined) return `impersonating an invalid key in extra is not allowed: ${invalid}`;
  if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${quote(key)}`;
  if (values.length === 0) return 'impersonating empty values in extra is not allowed';
  if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  return undefined;
}

/** Upstream: k8s.io/apimachinery/pkg/util/validation.IsDomainPrefixedPath */
function invalidDomainPrefixedPath(key: string): string | undefined {
  const slash = key.indexOf('/');
  const wrong = (detail: string) => `extra.key: Invalid value: ${quote(key)}: ${detail}`;
  if (slash <= 0 || slash === key.length - 1) return wrong('must be a domain-prefixed path (such as "acme.io/foo")');
  const [domainError] = isDNS1123Subdomain(key.slice(0, slash));
  if (domainError !== undefined) return `extra.key: Invalid value: ${quote(key.slice(0, slash))}: ${domainError}`;
  const path = key.slice(slash + 1);
  if (/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path)) return undefined;
  return `extra.key: Invalid value: ${quote(path)}: Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`;
}

async function allowed({ check }: WantedUserOptions, attributes: AuthorizationAttributes): Promise<boolean> {
  try {
    await check(attributes);
    return true;
  } catch {
    return false;
  }
}

/** The legacy mode checks names and groups in the core group, the other modes in authentication.k8s.io. */
function attributesOf(
  { requestor, verb, constrained }: WantedUserOptions,
  resource: string,
  name: string,
): AuthorizationAttributes {
  const core = !constrained && (resource === 'users' || resource === 'groups');
  const apiGroup = core ? '' : 'authentication.k8s.io';
  return resourceAttributes(requestor, { verb, apiGroup, apiVersion: 'v1', resource, name });
}

/** Every named user is authenticated, except system:anonymous and those impersonated as unauthenticated. */
function withAuthenticated(name: string, groups: readonly string[]): readonly string[] {
  const group = name === wellKnownUsers.anonymous ? wellKnownGroups.unauthenticated : wellKnownGroups.authenticated;
  const settled = groups.includes(group) || groups.includes(wellKnownGroups.unauthenticated);
  return settled ? groups : [...groups, group];
}
