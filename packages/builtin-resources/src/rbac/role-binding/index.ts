import { RoleBinding } from '@apiserver/api/rbac/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { applyBindingDefaults } from '../binding-defaults.js';
import { type EscalationCheck, withEscalationCheck } from '../with-escalation-check.js';
import { roleBindingColumns } from './columns.js';
import { roleBindingStrategy } from './strategy.js';

/** RoleBindings: grant a role in a namespace. */
export const roleBindingDeclaration = defineResource<RoleBinding>({
  versions: [{ schema: RoleBinding, applyDefaults: applyBindingDefaults }],
  strategy: roleBindingStrategy,
  columns: roleBindingColumns,
});

/** The kind for one server, with escalation checks. */
export function roleBindings(check: EscalationCheck<RoleBinding>): ResourceDefinition<RoleBinding> {
  return withEscalationCheck(roleBindingDeclaration, check);
}
