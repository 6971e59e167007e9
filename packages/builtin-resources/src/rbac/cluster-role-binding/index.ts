import { ClusterRoleBinding } from '@apiserver/api/rbac/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { applyBindingDefaults } from '../binding-defaults.js';
import { type EscalationCheck, withEscalationCheck } from '../with-escalation-check.js';
import { clusterRoleBindingColumns } from './columns.js';
import { clusterRoleBindingStrategy } from './strategy.js';

/** ClusterRoleBindings: grant a role in all namespaces. */
export const clusterRoleBindingDeclaration = defineResource<ClusterRoleBinding>({
  versions: [{ schema: ClusterRoleBinding, applyDefaults: applyBindingDefaults }],
  strategy: clusterRoleBindingStrategy,
  columns: clusterRoleBindingColumns,
});

/** The kind for one server, with escalation checks. */
export function clusterRoleBindings(
  check: EscalationCheck<ClusterRoleBinding>,
): ResourceDefinition<ClusterRoleBinding> {
  return withEscalationCheck(clusterRoleBindingDeclaration, check);
}
