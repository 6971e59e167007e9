import type { ClusterRoleBinding } from '@apiserver/api/rbac/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { bindingColumns } from '../binding-columns.js';

/** Upstream: printClusterRoleBinding of pkg/printers/internalversion/printers.go */
export const clusterRoleBindingColumns: readonly Column<ClusterRoleBinding>[] = bindingColumns<ClusterRoleBinding>(
  'ClusterRoleBinding',
  'clusterRoleBinding',
);
