import type { Clock } from '@apiserver/apimachinery/clock';
import { isForbidden, type StatusError } from '@apiserver/apimachinery/errors';
import type { AuthorizationAttributes, Authorizer, UserInfo } from '@apiserver/apiserver-contracts';
import { forbiddenError } from '@apiserver/endpoints-installer';
import type { ImpersonationMetrics } from '../../metrics/impersonation-metrics.js';
import { authorizeWantedUser } from './authorize-wanted-user.js';
import type { CheckAuthorization } from './check-authorization.js';
import type { Impersonated } from './impersonated.js';
import { ImpersonationCache, ImpersonationKeys } from './impersonation-cache.js';
import { nodeOf, serviceAccountOf } from './wanted-names.js';

/** One request with impersonation. */
export interface ImpersonationAttempt {
  /** The user exactly as in the headers. */
  readonly wanted: UserInfo;
  /** The attributes of the request, with its real user. */
  readonly attributes: AuthorizationAttributes;
  readonly keys: ImpersonationKeys;
  /** Ends calls to other servers; undefined if the authorizer makes none. */
  readonly signal: AbortSignal | undefined;
}

/**
 * A mode of impersonation. Returns the user to continue as, or undefined if the mode does not apply to such a user.
 * Throws a StatusError 403 if it applies and is denied.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/impersonation/mode.go
 */
export type ImpersonationMode = (attempt: ImpersonationAttempt) => Promise<Impersonated | undefined>;

/** Dependencies of the modes. */
export interface ImpersonationModesOptions {
  readonly authorizer: Authorizer;
  readonly metrics?: ImpersonationMetrics | undefined;
  readonly clock: Pick<Clock, 'now'>;
  /** True without the constrained modes. Default: false. Upstream feature gate: ConstrainedImpersonation, off */
  readonly isLegacyOnly?: boolean;
}

/** All modes, the most restricted first. Upstream: allImpersonationModes */
export function impersonationModes({
  authorizer,
  metrics,
  clock,
  isLegacyOnly = false,
}: ImpersonationModesOptions): readonly ImpersonationMode[] {
  const check = checker(authorizer, metrics);
  const legacy = legacyMode(check);
  return isLegacyOnly ? [legacy] : [...constrainedModes(check, clock), legacy];
}

/** Permission to impersonate is enough. */
function legacyMode(check: CheckAuthorization): ImpersonationMode {
  return async ({ wanted, attributes, signal }) => {
    const ask: CheckAuthorization = (question) => check(question, signal);
    const options = { requestor: attributes.user, verb: 'impersonate', constrained: false, check: ask };
    return { user: await authorizeWantedUser(wanted, options), constraint: '' };
  };
}

function constrainedModes(check: CheckAuthorization, clock: Pick<Clock, 'now'>): readonly ImpersonationMode[] {
  const make = (mode: string, applies: (attempt: ImpersonationAttempt) => boolean, ask = check) =>
    constrained({ mode, applies, check: ask, clock });
  return [
    associatedNode(
      make('associated-node', isAssociatedNode, (attributes, signal) => check(withoutNodeName(attributes), signal)),
    ),
    make('arbitrary-node', ({ wanted }) => onlyName(wanted) && nodeOf(wanted.name) !== undefined),
    make('serviceaccount', ({ wanted }) => onlyName(wanted) && serviceAccountOf(wanted.name) !== undefined),
    make('user-info', ({ wanted: { name } }) => nodeOf(name) === undefined && serviceAccountOf(name) === undefined),
  ];
}

interface ConstrainedMode {
  readonly mode: string;
  readonly applies: (attempt: ImpersonationAttempt) => boolean;
  readonly check: CheckAuthorization;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * A mode that needs two permissions: one to impersonate the user ("impersonate:<mode>"), and one for the request itself
 * ("impersonate-on:<mode>:<verb>"). It is kept for a short time that the user may be impersonated, and for which
 * requests.
 */
function constrained({ mode, applies, check, clock }: ConstrainedMode): ImpersonationMode {
  const requests = new ImpersonationCache(clock);
  const users = new ImpersonationCache(clock);
  const verb = `impersonate:${mode}`;
  const authorizeUser = async ({ wanted, attributes, keys, signal }: ImpersonationAttempt): Promise<Impersonated> => {
    const known = users.get(keys.ofUsers);
    if (known !== undefined) return known;
    const ask: CheckAuthorization = (question) => check(question, signal);
    const options = { requestor: attributes.user, verb, constrained: true, check: ask };
    const allowed = { user: await authorizeWantedUser(wanted, options), constraint: verb };
    users.set(keys.ofUsers, allowed);
    return allowed;
  };
  return async (attempt) => {
    // The keys of some modes say less than the attempt, so the mode must apply first.
    if (!applies(attempt)) return undefined;
    const { attributes, keys, signal } = attempt;
    const known = requests.get(keys.ofRequest);
    if (known !== undefined) return known;
    await check({ ...attributes, verb: `impersonate-on:${mode}:${attributes.verb}` }, signal);
    const allowed = await authorizeUser(attempt);
    requests.set(keys.ofRequest, allowed);
    return allowed;
  };
}

/**
 * A service account has the same permission on every node, so that its pods share what is kept. The kept user may have
 * the name of another node.
 */
function associatedNode(mode: ImpersonationMode): ImpersonationMode {
  return async (attempt) => {
    const { wanted, attributes } = attempt;
    const anyNode = { name: 'system:node:*', groups: [], extra: {} };
    const keys = new ImpersonationKeys(anyNode, withoutNodeName(attributes), attempt.keys.isUnderstood);
    const allowed = await mode({ ...attempt, keys });
    return allowed && { ...allowed, user: { ...allowed.user, name: wanted.name } };
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
function checker(authorizer: Authorizer, metrics: ImpersonationMetrics | undefined): CheckAuthorization {
  return async (attributes, signal) => {
    const started = performance.now();
    const { decision, reason, error } = await authorizer.authorize(attributes, signal);
    metrics?.authorized(attributes.verb, decision === 'Allow', performance.now() - started);
    if (decision === 'Allow') return;
    if (error !== undefined && isForbidden(error)) throw error;
    throw refusal(attributes, reason, error);
  };
}

function refusal(attributes: AuthorizationAttributes, reason: string, error: Error | undefined): StatusError {
  if (error === undefined) return forbiddenError(attributes, reason);
  return forbiddenError(attributes, reason === '' ? error.message : `${error.message}: ${reason}`);
}
