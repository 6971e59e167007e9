import { ClusterRoleBinding } from '@apiserver/api/rbac/v1';
import { defineResource } from '@apiserver/resource-kit';
import { applyBindingDefaults } from '../binding-defaults.js';
import { clusterRoleBindingColumns } from './columns.js';
import { clusterRoleBindingStrategy } from './strategy.js';

/** ClusterRoleBindings: who has a role everywhere. */
export const clusterRoleBindings = defineResource<ClusterRoleBinding>({
  versions: [{ schema: ClusterRoleBinding, applyDefaults: applyBindingDefaults }],
  strategy: clusterRoleBindingStrategy,
  columns: clusterRoleBindingColumns,
});
