import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../policy-objects.js';
import { bootstrapClusterRoleBindings, bootstrapClusterRoles } from './cluster-policy.js';
import { bootstrapRoleBindings, bootstrapRoles } from './namespace-policy.js';
import type { PolicyFeatures } from './policy-features.js';

/** The roles and bindings that a server maintains. */
export interface PolicyData {
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
  /**
   * Old names to new names of roles that became aggregated ones. A role that an administrator had changed before is
   * kept under its new name.
   */
  readonly clusterRolesToAggregate: ReadonlyMap<string, string>;
  /**
   * Names of old bindings to the names of those in `clusterRoleBindings` that took over a part of them. The new
   * binding starts with the subjects of the old one.
   */
  readonly clusterRoleBindingsToSplit: ReadonlyMap<string, string>;
}

/**
 * The initial policy of every cluster: the objects that upstream 1.36 creates with these feature gates. Each
 * call builds them; the import of the module does not.
 * Upstream: plugin/pkg/auth/authorizer/rbac/bootstrappolicy
 */
export function bootstrapPolicy(features: PolicyFeatures = {}): PolicyData {
  return {
    clusterRoles: bootstrapClusterRoles(features),
    clusterRoleBindings: bootstrapClusterRoleBindings(features),
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
