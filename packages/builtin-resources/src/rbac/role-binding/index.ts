import { RoleBinding } from '@apiserver/api/rbac/v1';
import { defineResource } from '@apiserver/resource-kit';
import { applyBindingDefaults } from '../binding-defaults.js';
import { roleBindingColumns } from './columns.js';
import { roleBindingStrategy } from './strategy.js';

/** RoleBindings: who has a role in a namespace. */
export const roleBindings = defineResource<RoleBinding>({
  versions: [{ schema: RoleBinding, applyDefaults: applyBindingDefaults }],
  strategy: roleBindingStrategy,
  columns: roleBindingColumns,
});
