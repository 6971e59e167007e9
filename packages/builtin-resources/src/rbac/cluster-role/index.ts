import { ClusterRole } from '@apiserver/api/rbac/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { type EscalationCheck, withEscalationCheck } from '../with-escalation-check.js';
import { clusterRoleColumns } from './columns.js';
import { clusterRoleStrategy } from './strategy.js';

/** ClusterRoles: permissions in any namespace, for cluster-scoped resources, and for URLs. */
export const clusterRoleDeclaration = defineResource<ClusterRole>({
  versions: [{ schema: ClusterRole }],
  strategy: clusterRoleStrategy,
  columns: clusterRoleColumns,
  emptyRowsAreNull: true,
});

/** The kind for one server, with escalation checks. */
export function clusterRoles(check: EscalationCheck<ClusterRole>): ResourceDefinition<ClusterRole> {
  return withEscalationCheck(clusterRoleDeclaration, check);
}
