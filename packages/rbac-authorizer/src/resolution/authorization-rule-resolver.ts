import { failureStatus, StatusError } from '@apiserver/apimachinery/errors';
import { quote } from '@apiserver/apimachinery/text';
import type { UserInfo } from '@apiserver/apiserver-contracts';
import type { PolicyRule, RoleRef } from '../policy-objects.js';

/** Rules, and what went wrong while they were looked for: rules only ever add, so those that were found are good. */
export interface ResolvedRules {
  readonly rules: readonly PolicyRule[];
  readonly errors: readonly Error[];
}

/**
 * Which rules apply to whom. Answers at once where everything is at hand.
 * Upstream: AuthorizationRuleResolver in pkg/registry/rbac/validation/rule.go
 */
export interface AuthorizationRuleResolver {
  /**
   * The rules of the role that a binding refers to; `bindingNamespace` is "" for a ClusterRoleBinding.
   * Throws a StatusError: 404 when there is no such role, 500 for an unknown kind.
   */
  roleReferenceRules(
    roleRef: RoleRef,
    bindingNamespace: string,
  ): Promise<readonly PolicyRule[]> | readonly PolicyRule[];
  /** All rules that apply to the user in the namespace; with "" those of ClusterRoleBindings alone. */
  rulesFor(user: UserInfo, namespace: string): Promise<ResolvedRules> | ResolvedRules;
}

/** 500 with upstream's text, which gives no reason. */
export function unsupportedRoleKind(roleRef: RoleRef): StatusError {
  return new StatusError(failureStatus(500, undefined, `unsupported role reference kind: ${quote(roleRef.kind)}`));
}
