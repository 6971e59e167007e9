import { Role } from '@apiserver/api/rbac/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { type EscalationCheck, withEscalationCheck } from '../with-escalation-check.js';
import { roleColumns } from './columns.js';
import { roleStrategy } from './strategy.js';

/** Roles: what may be done in a namespace. */
export const roleDeclaration = defineResource<Role>({
  versions: [{ schema: Role }],
  strategy: roleStrategy,
  columns: roleColumns,
});

/** The kind for one server, which refuses to let its users give more than they have. */
export function roles(check: EscalationCheck<Role>): ResourceDefinition<Role> {
  return withEscalationCheck(roleDeclaration, check);
}
