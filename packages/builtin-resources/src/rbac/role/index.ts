import { Role } from '@apiserver/api/rbac/v1';
import { defineResource } from '@apiserver/resource-kit';
import { roleColumns } from './columns.js';
import { roleStrategy } from './strategy.js';

/** Roles: what may be done in a namespace. */
export const roles = defineResource<Role>({
  versions: [{ schema: Role }],
  strategy: roleStrategy,
  columns: roleColumns,
});
