import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../policy-objects.js';
import { bootstrapClusterRoleBindings, bootstrapClusterRoles } from './cluster-policy.js';
import { bootstrapRoleBindings, bootstrapRoles } from './namespace-policy.js';

/** Roles and bindings that a server keeps there. */
export interface PolicyData {
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
  /** Old name to new: a role that an administrator has changed before it became an aggregated one is kept under the new name. */
  readonly clusterRolesToAggregate: ReadonlyMap<string, string>;
  /** Name of a binding to the name of one of `clusterRoleBindings` that took over a part of it and starts with its subjects. */
  readonly clusterRoleBindingsToSplit: ReadonlyMap<string, string>;
}

/**
 * The policy that every cluster starts with: what upstream 1.36 makes with its default feature gates. Made anew on every
 * call, and only then.
 * Upstream: plugin/pkg/auth/authorizer/rbac/bootstrappolicy
 */
export function bootstrapPolicy(): PolicyData {
  return {
    clusterRoles: bootstrapClusterRoles(),
    clusterRoleBindings: bootstrapClusterRoleBindings(),
    roles: bootstrapRoles(),
    roleBindings: bootstrapRoleBindings(),
    clusterRolesToAggregate: new Map([
      ['admin', 'system:aggregate-to-admin'],
      ['edit', 'system:aggregate-to-edit'],
      ['view', 'system:aggregate-to-view'],
    ]),
    clusterRoleBindingsToSplit: new Map([['system:discovery', 'system:public-info-viewer']]),
  };
}
