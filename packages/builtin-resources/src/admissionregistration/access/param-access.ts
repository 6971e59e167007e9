import type { ParamKind, ParamRef } from '@apiserver/api/admissionregistration/v1';
import { type GroupVersionKind, type KubeObject, tryParseGroupVersion } from '@apiserver/apimachinery';
import { messageOf } from '@apiserver/apimachinery/errors';
import { type FieldError, FieldPath, fieldForbidden } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import {
  type Authorizer,
  type ResourceAccess,
  resourceAttributes,
  type Strategy,
  type UserInfo,
  type VerbContext,
  wellKnownGroups,
} from '@apiserver/apiserver-contracts';

/** Dependencies of the checks that a user may read the parameters of the policies that he writes. */
export interface ParamAccessOptions {
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  /** The served resource of a kind; undefined for an unknown kind. */
  resourceOf(kind: GroupVersionKind): Promise<string | undefined>;
  /** The spec of a policy; undefined if it cannot be read. */
  policyOf(policies: string, name: string): Promise<{ readonly paramKind?: ParamKind } | undefined>;
}

/** A policy of either kind. */
type Policy = KubeObject & { readonly spec: { readonly paramKind?: ParamKind } };
/** A binding of either kind. */
type Binding = KubeObject & { readonly spec: { readonly policyName?: string; readonly paramRef?: ParamRef } };

const PARAM_KIND = FieldPath.of('spec', 'paramKind');
const PARAM_REF = FieldPath.of('spec', 'paramRef');

/** Any resource: what is required as long as the kind is not known. */
const ANY = { apiGroup: '*', apiVersion: '*', resource: '*' };

/**
 * A policy's strategy for one server: its author must be allowed to read all objects of the kind of parameters.
 * Upstream: pkg/registry/admissionregistration/validatingadmissionpolicy/authz.go
 */
export function withParamKindAccess<T extends Policy>(strategy: Strategy<T>, access: ParamAccessOptions): Strategy<T> {
  return {
    ...strategy,
    validateInTurns(context, { spec: { paramKind } }, old, errors) {
      const isStored = old !== undefined && equalJson(paramKind ?? null, old.spec.paramKind ?? null);
      if (paramKind === undefined || isStored || errors.length > 0 || isPrivileged(context)) return [];
      return refuseKind(context, paramKind, access);
    },
  };
}

/**
 * A binding's strategy for one server: its author must be allowed to read the parameters. Every update is checked, as
 * upstream, which compares pointers.
 * Upstream: pkg/registry/admissionregistration/validatingadmissionpolicybinding/authz.go
 */
export function withParamRefAccess<T extends Binding>(
  strategy: Strategy<T>,
  policies: string,
  access: ParamAccessOptions,
): Strategy<T> {
  return {
    ...strategy,
    validateInTurns(context, { spec: { policyName = '', paramRef } }, _old, errors) {
      if (paramRef === undefined || errors.length > 0 || isPrivileged(context)) return [];
      return refuseRef(context, paramRef, { access, policies, policyName });
    },
  };
}

function isPrivileged({ user }: VerbContext): boolean {
  return user?.groups.includes(wellKnownGroups.privileged) ?? false;
}

async function refuseKind(
  context: VerbContext,
  paramKind: ParamKind,
  access: ParamAccessOptions,
): Promise<readonly FieldError[]> {
  const { user } = context;
  if (user === undefined) return [unidentified(PARAM_KIND, 'paramKind resources')];
  const target = { ...(await resourceOf(paramKind, access)), verb: 'get', name: '*', namespace: '*' };
  const { kind = '', apiVersion = '' } = paramKind;
  const what = `all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`;
  const detail = `user ${userText(user)} must have "get" permission on ${what}`;
  return refuse(context, { target, user, path: PARAM_KIND, detail }, access);
}

async function refuseRef(
  context: VerbContext,
  { name = '', namespace = '' }: ParamRef,
  { access, policies, policyName }: { access: ParamAccessOptions; policies: string; policyName: string },
): Promise<readonly FieldError[]> {
  const { user } = context;
  if (user === undefined) return [unidentified(PARAM_REF, 'paramRef object')];
  const policy = await access.policyOf(policies, policyName);
  const kind = policy?.paramKind;
  const read = kind === undefined ? ANY : await resourceOf(kind, access);
  const verb = name === '' ? 'list' : 'get';
  const target = { ...read, verb, name, namespace };
  const unknown = policy === undefined ? `get policy ${policyName}` : unknownKind(kind, read);
  const who = `user ${userText(user)} does not have "${verb}" permission`;
  const detail =
    unknown === undefined
      ? `${who} on the object referenced by paramRef`
      : `unable to ${unknown} to determine minimum required permissions and ${who} for all groups, versions and resources`;
  return refuse(context, { target, user, path: PARAM_REF, detail, fault: 'failed to authorize request: ' }, access);
}

/** The step in which the resource of a kind could not be found; undefined if it was. */
function unknownKind(kind: ParamKind | undefined, { apiGroup, resource }: typeof ANY): string | undefined {
  if (kind === undefined || resource !== '*') return undefined;
  const { apiVersion = '', kind: name = '' } = kind;
  return `${apiGroup === '*' ? 'parse' : 'resolve'} paramKind &{${apiVersion} ${name}}`;
}

async function resourceOf({ apiVersion = '', kind = '' }: ParamKind, access: ParamAccessOptions) {
  const groupVersion = tryParseGroupVersion(apiVersion);
  if (groupVersion === undefined) return ANY;
  const { group, version } = groupVersion;
  const resource = await access.resourceOf({ group, version, kind });
  return { apiGroup: group, apiVersion: version, resource: resource ?? '*' };
}

/** A read that a user must be allowed, and the error if he is not. */
interface RequiredRead {
  readonly target: ResourceAccess;
  readonly user: UserInfo;
  readonly path: FieldPath;
  readonly detail: string;
  /** The text before an error of the authorizer. */
  readonly fault?: string;
}

async function refuse(
  { signal }: VerbContext,
  { target, user, path, detail, fault = '' }: RequiredRead,
  { authorizer }: ParamAccessOptions,
): Promise<readonly FieldError[]> {
  const { decision, error } = await authorizer.authorize(resourceAttributes(user, target), signal);
  if (error !== undefined) return [fieldForbidden(path, `${fault}${messageOf(error)}`)];
  return decision === 'Allow' ? [] : [fieldForbidden(path, detail)];
}

function unidentified(path: FieldPath, what: string): FieldError {
  return fieldForbidden(path, `cannot identify user to authorize read access to ${what}`);
}

/** A user as Go prints it by `%v`. */
function userText({ name, uid = '', groups, extra }: UserInfo): string {
  const values = Object.keys(extra)
    .sort()
    .map((key) => `${key}:[${(extra[key] ?? []).join(' ')}]`)
    .join(' ');
  return `&{${name} ${uid} [${groups.join(' ')}] map[${values}]}`;
}
