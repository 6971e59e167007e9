import { errorOf } from '@apiserver/apimachinery/errors';
import { appendAll } from '@apiserver/apimachinery/field';
import type { UserInfo } from '@apiserver/apiserver-contracts';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef } from '../policy-objects.js';
import {
  type AuthorizationRuleResolver,
  type ResolvedRules,
  unsupportedRoleKind,
} from './authorization-rule-resolver.js';
import { firstMatchingSubject } from './subject-key.js';

/** Reads stored roles and bindings. Each method throws the error of the store: 404 for a missing role. */
export interface PolicyReader {
  role(namespace: string, name: string): Promise<Role> | Role;
  clusterRole(name: string): Promise<ClusterRole> | ClusterRole;
  roleBindings(namespace: string): Promise<readonly RoleBinding[]> | readonly RoleBinding[];
  clusterRoleBindings(): Promise<readonly ClusterRoleBinding[]> | readonly ClusterRoleBinding[];
}

/**
 * Reads the policy on every call, so that it sees the latest writes. For checks on writes of roles and bindings,
 * where a PolicyIndex may be behind. Iterates over all bindings.
 * Upstream: the rule resolver of pkg/registry/rbac/rest/storage_rbac.go
 */
export function listedRuleResolver(reader: PolicyReader): AuthorizationRuleResolver {
  return {
    roleReferenceRules: (roleRef, bindingNamespace) => roleRules(reader, roleRef, bindingNamespace),
    rulesFor: (user, namespace) => rulesFor(reader, user, namespace),
  };
}

async function roleRules(reader: PolicyReader, roleRef: RoleRef, namespace: string): Promise<readonly PolicyRule[]> {
  switch (roleRef.kind) {
    case 'Role':
      return (await reader.role(namespace, roleRef.name)).rules ?? [];
    case 'ClusterRole':
      return (await reader.clusterRole(roleRef.name)).rules ?? [];
    default:
      throw unsupportedRoleKind(roleRef);
  }
}

async function rulesFor(reader: PolicyReader, user: UserInfo, namespace: string): Promise<ResolvedRules> {
  const rules: PolicyRule[] = [];
  const errors: Error[] = [];
  const attempt = async <T>(read: () => Promise<readonly T[]> | readonly T[]): Promise<readonly T[]> => {
    try {
      return await read();
    } catch (error) {
      errors.push(errorOf(error));
      return [];
    }
  };
  const grant = async (bindings: readonly (RoleBinding | ClusterRoleBinding)[], inNamespace: string) => {
    for (const { subjects, roleRef } of bindings) {
      if (firstMatchingSubject(subjects, inNamespace, user) < 0) continue;
      appendAll(rules, await attempt(() => roleRules(reader, roleRef, inNamespace)));
    }
  };
  await grant(await attempt(() => reader.clusterRoleBindings()), '');
  if (namespace !== '') await grant(await attempt(() => reader.roleBindings(namespace)), namespace);
  return { rules, errors };
}
