import type { RoleBinding } from '@apiserver/api/rbac/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateRoleBinding, validateRoleBindingUpdate } from './validation.js';

/** Upstream: pkg/registry/rbac/rolebinding/strategy.go */
export const roleBindingStrategy: Strategy<RoleBinding> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  validate: (_context, binding) => validateRoleBinding(binding),
  validateUpdate: (_context, binding, old) => validateRoleBindingUpdate(binding, old),
};
