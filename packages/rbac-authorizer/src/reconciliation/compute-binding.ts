import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from '../policy-objects.js';
import { isProtected, mergeMetadata, type ReconcileOperation, type ReconcileRules } from './compute-role.js';

/** The desired binding, and its difference from the existing one. */
export interface BindingReconciliation<B extends RoleBinding | ClusterRoleBinding = RoleBinding | ClusterRoleBinding> {
  readonly operation: ReconcileOperation;
  /** The binding to write. */
  readonly object: B;
  /** True if the administrator opted out of updates: write nothing, whatever `operation` is. */
  readonly protected: boolean;
  readonly missingSubjects: readonly Subject[];
  readonly extraSubjects: readonly Subject[];
}

/**
 * The binding to write so that `existing` has the subjects of `expected`. The role of a binding is immutable: a
 * binding with another role is recreated as expected.
 * Upstream: computeReconciledRoleBinding in
 * k8s.io/component-helpers/auth/rbac/reconciliation/reconcile_rolebindings.go
 */
export function computeReconciledBinding<B extends RoleBinding | ClusterRoleBinding>(
  existing: B | undefined,
  expected: B,
  { removeExtra }: ReconcileRules,
): BindingReconciliation<B> {
  if (existing === undefined) return whole('create', expected, expected.subjects ?? []);
  if (!sameRole(existing.roleRef, expected.roleRef)) {
    return { ...whole('recreate', expected, []), protected: isProtected(existing) };
  }
  const metadata = mergeMetadata(existing.metadata, expected.metadata);
  const [there, wanted] = [existing.subjects ?? [], expected.subjects ?? []];
  const missing = without(wanted, there);
  const extra = without(there, wanted);
  const differ = missing.length > 0 || (removeExtra && extra.length > 0);
  const subjects = removeExtra ? wanted : [...there, ...missing];
  return {
    operation: differ || metadata !== undefined ? 'update' : 'none',
    object: {
      ...existing,
      ...(metadata === undefined ? undefined : { metadata }),
      ...(differ ? { subjects } : undefined),
    },
    protected: isProtected(existing),
    missingSubjects: missing,
    extraSubjects: extra,
  };
}

function whole<B extends RoleBinding | ClusterRoleBinding>(
  operation: ReconcileOperation,
  object: B,
  missingSubjects: readonly Subject[],
): BindingReconciliation<B> {
  return { operation, object, protected: false, missingSubjects, extraSubjects: [] };
}

function sameRole(a: RoleRef, b: RoleRef): boolean {
  return (a.apiGroup ?? '') === (b.apiGroup ?? '') && a.kind === b.kind && a.name === b.name;
}

/** Contains each subject once. */
function without(subjects: readonly Subject[], others: readonly Subject[]): readonly Subject[] {
  const known = new Set(others.map(identity));
  return subjects.filter((subject) => {
    const isNew = !known.has(identity(subject));
    known.add(identity(subject));
    return isNew;
  });
}

function identity({ kind, apiGroup = '', name, namespace = '' }: Subject): string {
  return JSON.stringify([kind, apiGroup, name, namespace]);
}
