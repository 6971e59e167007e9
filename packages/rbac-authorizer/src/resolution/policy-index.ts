import { newNotFound } from '@apiserver/apimachinery/errors';
import { appendAll } from '@apiserver/apimachinery/field';
import type { UserInfo } from '@apiserver/apiserver-contracts';
import {
  type ClusterRole,
  type ClusterRoleBinding,
  type PolicyRule,
  type Role,
  type RoleBinding,
  type RoleRef,
  rbacResource,
} from '../policy-objects.js';
import {
  type AuthorizationRuleResolver,
  type ResolvedRules,
  unsupportedRoleKind,
} from './authorization-rule-resolver.js';
import { BindingIndex } from './binding-index.js';
import type { BindingMatch } from './binding-match.js';

/** Finds the current roles by name, usually with an Informer's `get`. */
export interface RoleGetters {
  role(namespace: string, name: string): Role | undefined;
  clusterRole(name: string): ClusterRole | undefined;
}

/** Receives the rules of a user, binding by binding. */
export interface RuleVisitor {
  /** The rules that one binding grants; false ends the visit. Bindings of the same role pass the same array. */
  rules(source: BindingMatch, rules: readonly PolicyRule[]): boolean;
  /** A binding whose role cannot be read; false ends the visit. To make an error costs more than a visit. */
  error(source: BindingMatch, error: () => Error): boolean;
}

const NO_RULES: readonly PolicyRule[] = [];

/**
 * All roles and bindings of a cluster, indexed for a lookup on every request.
 * Upstream: DefaultRuleResolver in pkg/registry/rbac/validation/rule.go, which walks all bindings for each request
 */
export class PolicyIndex implements AuthorizationRuleResolver {
  readonly #roles: RoleGetters;
  readonly #clusterRoleBindings = new BindingIndex();
  /** By namespace; only namespaces with bindings have an entry. */
  readonly #roleBindings = new Map<string, BindingIndex>();
  /** Cached errors of dangling references: a new one would cost a stack trace per request. */
  readonly #dangling = new WeakMap<RoleRef, Error>();

  constructor(roles: RoleGetters) {
    this.#roles = roles;
  }

  setClusterRoleBinding(binding: ClusterRoleBinding): void {
    this.#clusterRoleBindings.set(binding);
  }

  deleteClusterRoleBinding(binding: ClusterRoleBinding): void {
    this.#clusterRoleBindings.delete(binding.metadata.name ?? '');
  }

  setRoleBinding(binding: RoleBinding): void {
    const namespace = binding.metadata.namespace ?? '';
    const index = this.#roleBindings.get(namespace) ?? new BindingIndex();
    index.set(binding);
    this.#roleBindings.set(namespace, index);
  }

  deleteRoleBinding(binding: RoleBinding): void {
    const namespace = binding.metadata.namespace ?? '';
    const index = this.#roleBindings.get(namespace);
    index?.delete(binding.metadata.name ?? '');
    if (index?.size === 0) this.#roleBindings.delete(namespace);
  }

  /**
   * Visits the rules of the user's ClusterRoleBindings, then, unless `namespace` is "", of the RoleBindings. With
   * `after`, only those behind that binding: a visit may go on although bindings have changed.
   */
  visitRulesFor(user: UserInfo, namespace: string, visitor: RuleVisitor, after?: BindingMatch): void {
    const visit = (match: BindingMatch) => this.#visit(match, visitor);
    const isInNamespace = after !== undefined && after.namespace !== '';
    if (!isInNamespace && !this.#clusterRoleBindings.visit(user, visit, after?.name)) return;
    if (namespace === '') return;
    this.#roleBindings.get(namespace)?.visit(user, visit, isInNamespace ? after.name : undefined);
  }

  rulesFor(user: UserInfo, namespace: string): ResolvedRules {
    const rules: PolicyRule[] = [];
    const errors: Error[] = [];
    this.visitRulesFor(user, namespace, {
      rules: (_source, granted) => {
        appendAll(rules, granted);
        return true;
      },
      error: (_source, error) => {
        errors.push(error());
        return true;
      },
    });
    return { rules, errors };
  }

  roleReferenceRules(roleRef: RoleRef, bindingNamespace: string): readonly PolicyRule[] {
    const rules = this.#rulesOf(roleRef, bindingNamespace);
    if (rules === undefined) throw unresolved(roleRef);
    return rules;
  }

  #visit(match: BindingMatch, visitor: RuleVisitor): boolean {
    const { roleRef } = match.binding;
    const rules = this.#rulesOf(roleRef, match.namespace);
    if (rules !== undefined) return visitor.rules(match, rules);
    return visitor.error(match, () => this.#unresolved(roleRef));
  }

  #unresolved(roleRef: RoleRef): Error {
    let error = this.#dangling.get(roleRef);
    if (error === undefined) {
      error = unresolved(roleRef);
      this.#dangling.set(roleRef, error);
    }
    return error;
  }

  #rulesOf({ kind, name }: RoleRef, bindingNamespace: string): readonly PolicyRule[] | undefined {
    const role =
      kind === 'ClusterRole' ? this.#roles.clusterRole(name) : this.#namespaced(kind, name, bindingNamespace);
    return role === undefined ? undefined : (role.rules ?? NO_RULES);
  }

  #namespaced(kind: string, name: string, namespace: string): Role | undefined {
    return kind === 'Role' ? this.#roles.role(namespace, name) : undefined;
  }
}

/** Names the singular, as upstream's listers do. */
function unresolved(roleRef: RoleRef): Error {
  const known = roleRef.kind === 'Role' || roleRef.kind === 'ClusterRole';
  return known ? newNotFound(rbacResource(roleRef.kind.toLowerCase()), roleRef.name) : unsupportedRoleKind(roleRef);
}
