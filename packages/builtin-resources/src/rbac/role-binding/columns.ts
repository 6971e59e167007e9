import type { RoleBinding } from '@apiserver/api/rbac/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { bindingColumns } from '../binding-columns.js';

/** Upstream: printRoleBinding of pkg/printers/internalversion/printers.go */
export const roleBindingColumns: readonly Column<RoleBinding>[] = bindingColumns<RoleBinding>(
  'RoleBinding',
  'roleBinding',
);
