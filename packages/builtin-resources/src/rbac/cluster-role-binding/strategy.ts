import type { ClusterRoleBinding } from '@apiserver/api/rbac/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateClusterRoleBinding, validateClusterRoleBindingUpdate } from './validation.js';

/** Upstream: pkg/registry/rbac/clusterrolebinding/strategy.go */
export const clusterRoleBindingStrategy: Strategy<ClusterRoleBinding> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  validate: (_context, binding) => validateClusterRoleBinding(binding),
  validateUpdate: (_context, binding, old) => validateClusterRoleBindingUpdate(binding, old),
};
