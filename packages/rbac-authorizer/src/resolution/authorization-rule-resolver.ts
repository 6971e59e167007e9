import { plainFailure, type StatusError } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import type { UserInfo } from '@apiserver/apiserver-contracts';
import type { PolicyRule, RoleRef } from '../policy-objects.js';

/**
 * The rules found, and the failures of the lookup. The rules are valid despite failures, because rules only add
 * permissions.
 */
export interface ResolvedRules {
  readonly rules: readonly PolicyRule[];
  readonly errors: readonly Error[];
}

/**
 * Finds the rules of a user. Synchronous if everything is cached.
 * Upstream: AuthorizationRuleResolver in pkg/registry/rbac/validation/rule.go
 */
export interface AuthorizationRuleResolver {
  /**
   * The rules of a binding's role; `bindingNamespace` is "" for a ClusterRoleBinding. Throws a StatusError: 404 if
   * the role does not exist, 500 for an unknown kind.
   */
  roleReferenceRules(
    roleRef: RoleRef,
    bindingNamespace: string,
  ): Promise<readonly PolicyRule[]> | readonly PolicyRule[];
  /** All rules of the user in the namespace; with "", those of ClusterRoleBindings only. */
  rulesFor(user: UserInfo, namespace: string): Promise<ResolvedRules> | ResolvedRules;
}

/** A 500 with upstream's message and no reason. */
export function unsupportedRoleKind(roleRef: RoleRef): StatusError {
  return plainFailure(500, `unsupported role reference kind: ${quote(roleRef.kind)}`);
}
