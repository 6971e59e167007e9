import {
  type AuthorizationAttributes,
  type Authorizer,
  type Logger,
  resourceAttributes,
  type UserInfo,
  type VerbContext,
  wellKnownGroups,
} from '@apiserver/apiserver-contracts';
import { RBAC_GROUP, type RoleRef } from '../policy-objects.js';

/** The authorizer for the verbs `escalate` and `bind`, and the logger of its errors. */
export interface GrantAuthorization {
  readonly authorizer: Authorizer;
  readonly logger: Logger;
}

/** Allows system:masters everything; the server's own loopback client is a member. */
export function escalationAllowed(context: VerbContext): boolean {
  return context.user?.groups.includes(wellKnownGroups.privileged) ?? false;
}

/**
 * Reports whether the user may `escalate` the role of the request: add rules to it that the user does not have.
 * Upstream: RoleEscalationAuthorized in pkg/registry/rbac/escalation_check.go
 */
export async function roleEscalationAuthorized(context: VerbContext, grants: GrantAuthorization): Promise<boolean> {
  const { user, requestInfo, signal } = context;
  if (user === undefined || requestInfo === undefined || !requestInfo.isResourceRequest) return false;
  const { apiGroup, resource, name, namespace } = requestInfo;
  if (apiGroup !== RBAC_GROUP || (resource !== 'roles' && resource !== 'clusterroles')) return false;
  const attributes = grantAttributes(user, { verb: 'escalate', apiGroup, resource, name, namespace });
  return isAllowed(grants, attributes, signal);
}

/**
 * Reports whether the user may `bind` the role: grant it to others without having its rules. `bindingNamespace` is ""
 * for a ClusterRoleBinding.
 * Upstream: BindingAuthorized in pkg/registry/rbac/escalation_check.go
 */
export async function bindingAuthorized(
  context: VerbContext,
  roleRef: RoleRef,
  bindingNamespace: string,
  grants: GrantAuthorization,
): Promise<boolean> {
  const { user, signal } = context;
  const resource = resourceOfKind(roleRef.kind);
  if (user === undefined || resource === undefined) return false;
  const { apiGroup = '', name } = roleRef;
  const attributes = grantAttributes(user, { verb: 'bind', apiGroup, resource, name, namespace: bindingNamespace });
  return isAllowed(grants, attributes, signal);
}

function resourceOfKind(kind: string): string | undefined {
  if (kind === 'ClusterRole') return 'clusterroles';
  return kind === 'Role' ? 'roles' : undefined;
}

type Requested = Pick<AuthorizationAttributes, 'verb' | 'apiGroup' | 'resource' | 'name' | 'namespace'>;

function grantAttributes(user: UserInfo, requested: Requested): AuthorizationAttributes {
  return resourceAttributes(user, { ...requested, apiVersion: '*' });
}

async function isAllowed(grants: GrantAuthorization, requested: AuthorizationAttributes, signal: AbortSignal) {
  const { decision, error } = await grants.authorizer.authorize(requested, signal);
  if (error !== undefined) {
    const { verb, resource, name, namespace, user } = requested;
    grants.logger.error(error, `Error authorizing user to ${verb}`, { user: user.name, resource, name, namespace });
  }
  return decision === 'Allow';
}
