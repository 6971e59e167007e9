import type { ClusterRole } from '@apiserver/api/rbac/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateClusterRole, validateClusterRoleUpdate } from './validation.js';

/** Upstream: pkg/registry/rbac/clusterrole/strategy.go */
export const clusterRoleStrategy: Strategy<ClusterRole> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  validate: (_context, role) => validateClusterRole(role),
  validateUpdate: (_context, role, old) => validateClusterRoleUpdate(role, old),
};
