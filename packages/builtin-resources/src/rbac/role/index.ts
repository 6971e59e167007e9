import { Role } from '@apiserver/api/rbac/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { type EscalationCheck, withEscalationCheck } from '../with-escalation-check.js';
import { roleColumns } from './columns.js';
import { roleStrategy } from './strategy.js';

/** Roles: permissions in a namespace. */
export const roleDeclaration = defineResource<Role>({
  versions: [{ schema: Role }],
  strategy: roleStrategy,
  columns: roleColumns,
  emptyRowsAreNull: true,
});

/** The kind for one server, with escalation checks. */
export function roles(check: EscalationCheck<Role>): ResourceDefinition<Role> {
  return withEscalationCheck(roleDeclaration, check);
}
