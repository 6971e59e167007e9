import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { clusterRoles } from './cluster-role/index.js';
import { clusterRoleBindings } from './cluster-role-binding/index.js';
import { roles } from './role/index.js';
import { roleBindings } from './role-binding/index.js';

/** The resources of rbac.authorization.k8s.io. */
export const rbacResources: readonly AnyResourceDefinition[] = [clusterRoleBindings, clusterRoles, roleBindings, roles];
