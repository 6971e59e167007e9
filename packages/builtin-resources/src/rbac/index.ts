import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '@apiserver/api/rbac/v1';
import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { clusterRoles } from './cluster-role/index.js';
import { clusterRoleBindings } from './cluster-role-binding/index.js';
import { roles } from './role/index.js';
import { roleBindings } from './role-binding/index.js';
import type { EscalationCheck } from './with-escalation-check.js';

/** Escalation checks for writes of roles and bindings. */
interface EscalationChecks {
  readonly checkRole: EscalationCheck<Role>;
  readonly checkClusterRole: EscalationCheck<ClusterRole>;
  readonly checkRoleBinding: EscalationCheck<RoleBinding>;
  readonly checkClusterRoleBinding: EscalationCheck<ClusterRoleBinding>;
}

/** Dependencies of roles and bindings on their server. */
export interface RbacGroupDependencies extends GroupDependencies {
  readonly escalation: EscalationChecks;
}

/** The group rbac.authorization.k8s.io. */
export function rbacGroup({ install, escalation }: RbacGroupDependencies): APIGroupInfo {
  return builtinGroup('rbac.authorization.k8s.io', [
    install(clusterRoleBindings(escalation.checkClusterRoleBinding)),
    install(clusterRoles(escalation.checkClusterRole)),
    install(roleBindings(escalation.checkRoleBinding)),
    install(roles(escalation.checkRole)),
  ]);
}
