import { isForbidden, type StatusError } from '@apiserver/apimachinery/errors';
import type { AuthorizationAttributes, Authorizer, UserInfo } from '@apiserver/apiserver-contracts';
import { forbiddenError } from '@apiserver/endpoints-installer';
import { authorizeWantedUser } from './authorize-wanted-user.js';
import type { CheckAuthorization } from './check-authorization.js';
import { nodeOf, serviceAccountOf } from './wanted-names.js';

/** One request with impersonation. */
export interface ImpersonationAttempt {
  /** The user exactly as in the headers. */
  readonly wanted: UserInfo;
  /** The attributes of the request, with its real user. */
  readonly attributes: AuthorizationAttributes;
}

/** The user as whom a request goes on. */
export interface Impersonated {
  readonly user: UserInfo;
  /** The verb of the constrained mode that allowed it, or "". */
  readonly constraint: string;
}

/**
 * A mode of impersonation. Returns the user to continue as, or undefined if the mode does not apply to such a user.
 * Throws a StatusError 403 if it applies and is denied.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/impersonation/mode.go
 */
export type ImpersonationMode = (attempt: ImpersonationAttempt) => Promise<Impersonated | undefined>;

/** All modes, the most restricted first. Upstream: allImpersonationModes */
export function impersonationModes(authorizer: Authorizer): readonly ImpersonationMode[] {
  const check = checker(authorizer);
  return [
    constrained('associated-node', check, isAssociatedNode),
    constrained('arbitrary-node', check, ({ wanted }) => onlyName(wanted) && nodeOf(wanted.name) !== undefined),
    constrained(
      'serviceaccount',
      check,
      ({ wanted }) => onlyName(wanted) && serviceAccountOf(wanted.name) !== undefined,
    ),
    constrained(
      'user-info',
      check,
      ({ wanted: { name } }) => nodeOf(name) === undefined && serviceAccountOf(name) === undefined,
    ),
    async ({ wanted, attributes }) => {
      const options = { requestor: attributes.user, verb: 'impersonate', constrained: false, check };
      return { user: await authorizeWantedUser(wanted, options), constraint: '' };
    },
  ];
}

/**
 * A mode that needs two permissions: one to impersonate the user ("impersonate:<mode>"), and one for the request itself
 * ("impersonate-on:<mode>:<verb>").
 */
function constrained(
  mode: string,
  check: CheckAuthorization,
  applies: (attempt: ImpersonationAttempt) => boolean,
): ImpersonationMode {
  const ask: CheckAuthorization =
    mode === 'associated-node' ? (attributes) => check(withoutNodeName(attributes)) : check;
  return async (attempt) => {
    if (!applies(attempt)) return undefined;
    const { wanted, attributes } = attempt;
    await ask({ ...attributes, verb: `impersonate-on:${mode}:${attributes.verb}`, readOnly: false });
    const verb = `impersonate:${mode}`;
    const options = { requestor: attributes.user, verb, constrained: true, check: ask };
    return { user: await authorizeWantedUser(wanted, options), constraint: verb };
  };
}

function onlyName({ uid, groups, extra }: UserInfo): boolean {
  return uid === undefined && groups.length === 0 && Object.keys(extra).length === 0;
}

/** Reports whether a service account impersonates its own node. */
function isAssociatedNode({ wanted, attributes: { user } }: ImpersonationAttempt): boolean {
  const node = nodeOf(wanted.name);
  if (!onlyName(wanted) || node === undefined || serviceAccountOf(user.name) === undefined) return false;
  const own = user.extra['authentication.kubernetes.io/node-name'];
  return own?.length === 1 && own[0] === node;
}

/** Removes the node name, so that the permission is the same on every node. `isAssociatedNode` has checked the node. */
function withoutNodeName(attributes: AuthorizationAttributes): AuthorizationAttributes {
  const { user } = attributes;
  const keys = Object.keys(user.extra).sort();
  return {
    ...attributes,
    user: { ...user, extra: { 'authentication.kubernetes.io/associated-node-keys': keys } },
    name: attributes.verb === 'impersonate:associated-node' ? '*' : attributes.name,
  };
}

/** An error does not revoke an Allow. */
function checker(authorizer: Authorizer): CheckAuthorization {
  return async (attributes) => {
    const { decision, reason, error } = await authorizer.authorize(attributes);
    if (decision === 'Allow') return;
    if (error !== undefined && isForbidden(error)) throw error;
    throw refusal(attributes, reason, error);
  };
}

function refusal(attributes: AuthorizationAttributes, reason: string, error: Error | undefined): StatusError {
  if (error === undefined) return forbiddenError(attributes, reason);
  return forbiddenError(attributes, reason === '' ? error.message : `${error.message}: ${reason}`);
}
