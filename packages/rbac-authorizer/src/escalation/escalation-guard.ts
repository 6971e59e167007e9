import { newBadRequest, newForbidden } from '@apiserver/apimachinery/errors';
import type { VerbContext } from '@apiserver/apiserver-contracts';
import {
  type ClusterRole,
  type ClusterRoleBinding,
  type PolicyRule,
  type Role,
  type RoleBinding,
  type RoleRef,
  rbacResource,
} from '../policy-objects.js';
import type { AuthorizationRuleResolver } from '../resolution/authorization-rule-resolver.js';
import {
  bindingAuthorized,
  escalationAllowed,
  type GrantAuthorization,
  roleEscalationAuthorized,
} from './escalation-authorized.js';
import { findEscalation } from './find-escalation.js';
import { onlyChangesGCFields } from './only-gc-fields.js';

/**
 * Keeps users from granting permissions that they lack. Called with an object to be created or to replace `old`,
 * before the strategy. Rejects with a StatusError: 403 with the missing rules, 404 for the role of a binding, or 400
 * for a RoleBinding without a namespace.
 * Upstream: the policybased storages of pkg/registry/rbac
 */
export interface EscalationGuard {
  checkRole(context: VerbContext, role: Role, old?: Role): Promise<void>;
  checkClusterRole(context: VerbContext, role: ClusterRole, old?: ClusterRole): Promise<void>;
  checkRoleBinding(context: VerbContext, binding: RoleBinding, old?: RoleBinding): Promise<void>;
  checkClusterRoleBinding(context: VerbContext, binding: ClusterRoleBinding, old?: ClusterRoleBinding): Promise<void>;
}

/** Dependencies of the guard. */
export interface EscalationGuardOptions extends GrantAuthorization {
  /**
   * The resolver for one request. It must see the latest writes: see `listedRuleResolver`. A role that does not exist
   * is named by the resource of the request: `rolebindings.rbac.authorization.k8s.io "a" not found` for a role "a".
   */
  readonly resolverFor: (context: VerbContext) => AuthorizationRuleResolver;
}

/** Full authority, which is required to aggregate rules by labels. */
const FULL_AUTHORITY: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Makes a guard for the four kinds. */
export function escalationGuard(options: EscalationGuardOptions): EscalationGuard {
  return {
    async checkRole(context, role, old) {
      if (await mayEscalate(options, context)) return;
      if (onlyChangesGCFields(role, old)) return;
      await confirm(options, { context, resource: 'roles', name: role.metadata.name, rules: role.rules });
    },
    async checkClusterRole(context, role, old) {
      if (await mayEscalate(options, context)) return;
      if (onlyChangesGCFields(role, old)) return;
      await confirm(options, { context, resource: 'clusterroles', name: role.metadata.name, rules: role.rules });
      if (hasAggregationRule(role) || hasAggregationRule(old)) await confirmFullAuthority(options, context, role);
    },
    async checkRoleBinding(context, binding, old) {
      if (escalationAllowed(context)) return;
      if (context.namespace === '') throw newBadRequest('namespace is required');
      if (onlyChangesGCFields(binding, old)) return;
      await confirmBinding(options, context, { resource: 'rolebindings', binding, namespace: context.namespace });
    },
    async checkClusterRoleBinding(context, binding, old) {
      if (escalationAllowed(context)) return;
      if (onlyChangesGCFields(binding, old)) return;
      await confirmBinding(options, context, { resource: 'clusterrolebindings', binding, namespace: '' });
    },
  };
}

async function mayEscalate(options: EscalationGuardOptions, context: VerbContext): Promise<boolean> {
  return escalationAllowed(context) || roleEscalationAuthorized(context, options);
}

function hasAggregationRule(role: ClusterRole | undefined): boolean {
  return (role?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

interface Grant {
  readonly context: VerbContext;
  readonly resource: string;
  readonly name: string | undefined;
  readonly rules: readonly PolicyRule[] | null | undefined;
}

async function confirm(options: EscalationGuardOptions, { context, resource, name, rules }: Grant): Promise<void> {
  const reason = await escalationOf(options, context, rules ?? []);
  if (reason !== undefined) throw newForbidden(rbacResource(resource), name ?? '', reason);
}

async function escalationOf(
  { resolverFor, logger }: EscalationGuardOptions,
  context: VerbContext,
  rules: readonly PolicyRule[],
): Promise<string | undefined> {
  const { user, namespace } = context;
  if (user === undefined) return 'no user on context';
  return findEscalation({ resolver: resolverFor(context), user, namespace, rules, logger });
}

async function confirmFullAuthority(options: EscalationGuardOptions, context: VerbContext, role: ClusterRole) {
  if ((await escalationOf(options, context, FULL_AUTHORITY)) === undefined) return;
  const reason = 'must have cluster-admin privileges to use the aggregationRule';
  throw newForbidden(rbacResource('clusterroles'), role.metadata.name ?? '', reason);
}

interface Binding {
  readonly resource: string;
  readonly binding: { readonly metadata: { readonly name?: string }; readonly roleRef: RoleRef };
  readonly namespace: string;
}

async function confirmBinding(
  options: EscalationGuardOptions,
  context: VerbContext,
  { resource, binding, namespace }: Binding,
): Promise<void> {
  if (await bindingAuthorized(context, binding.roleRef, namespace, options)) return;
  const rules = await options.resolverFor(context).roleReferenceRules(binding.roleRef, namespace);
  await confirm(options, { context, resource, name: binding.metadata.name, rules });
}
