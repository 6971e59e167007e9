import type { Role } from '@apiserver/api/rbac/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateRole, validateRoleUpdate } from './validation.js';

/** Upstream: pkg/registry/rbac/role/strategy.go */
export const roleStrategy: Strategy<Role> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  validate: (_context, role) => validateRole(role),
  validateUpdate: (_context, role, old) => validateRoleUpdate(role, old),
};
