import { ClusterRole } from '@apiserver/api/rbac/v1';
import { defineResource } from '@apiserver/resource-kit';
import { clusterRoleColumns } from './columns.js';
import { clusterRoleStrategy } from './strategy.js';

/** ClusterRoles: what may be done in any namespace, with resources of the cluster, and with URLs. */
export const clusterRoles = defineResource<ClusterRole>({
  versions: [{ schema: ClusterRole }],
  strategy: clusterRoleStrategy,
  columns: clusterRoleColumns,
});
