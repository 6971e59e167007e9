import { ClusterRole } from '@apiserver/api/rbac/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { type EscalationCheck, withEscalationCheck } from '../with-escalation-check.js';
import { clusterRoleColumns } from './columns.js';
import { clusterRoleStrategy } from './strategy.js';

/** ClusterRoles: what may be done in any namespace, with resources of the cluster, and with URLs. */
export const clusterRoleDeclaration = defineResource<ClusterRole>({
  versions: [{ schema: ClusterRole }],
  strategy: clusterRoleStrategy,
  columns: clusterRoleColumns,
});

/** The kind for one server, which refuses to let its users give more than they have. */
export function clusterRoles(check: EscalationCheck<ClusterRole>): ResourceDefinition<ClusterRole> {
  return withEscalationCheck(clusterRoleDeclaration, check);
}
