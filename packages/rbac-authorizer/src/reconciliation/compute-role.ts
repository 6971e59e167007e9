import type { DeepReadonly, LabelSelectorSpec } from '@apiserver/apimachinery';
import { equalJson } from '@apiserver/apimachinery/json';
import { AUTO_UPDATE_ANNOTATION } from '../bootstrap-policy/policy-builders.js';
import { uncoveredRules } from '../escalation/covers.js';
import type { ClusterRole, PolicyRule, Role } from '../policy-objects.js';
import { semanticEqual } from '../semantic-equal.js';

/** The required write. `recreate` deletes the object, then creates it. */
export type ReconcileOperation = 'create' | 'update' | 'recreate' | 'none';

/** The desired role, and its difference from the existing one. */
export interface RoleReconciliation<R extends Role | ClusterRole = Role | ClusterRole> {
  readonly operation: ReconcileOperation;
  /** The role to write. */
  readonly object: R;
  /** True if the administrator opted out of updates: write nothing, whatever `operation` is. */
  readonly protected: boolean;
  readonly missingRules: readonly PolicyRule[];
  readonly extraRules: readonly PolicyRule[];
  readonly missingSelectors: readonly Selector[];
  readonly extraSelectors: readonly Selector[];
}

type Selector = DeepReadonly<LabelSelectorSpec>;
type StringMap = Readonly<Record<string, string>>;

/** `removeExtra` deletes existing entries that are not expected; otherwise they stay. */
export interface ReconcileRules {
  readonly removeExtra: boolean;
}

/**
 * The role to write so that `existing` grants what `expected` does. Missing labels and annotations are added, and
 * existing ones keep their values. Rules are compared by the permissions they grant, not by their notation.
 * Upstream: computeReconciledRole in k8s.io/component-helpers/auth/rbac/reconciliation/reconcile_role.go
 */
export function computeReconciledRole<R extends Role | ClusterRole>(
  existing: R | undefined,
  expected: R,
  { removeExtra }: ReconcileRules,
): RoleReconciliation<R> {
  if (existing === undefined) return creation(expected);
  const metadata = mergeMetadata(existing.metadata, expected.metadata);
  const rules = reconcileRules(existing, expected, removeExtra);
  const selectors = reconcileSelectors(existing, expected, removeExtra);
  const changed = metadata !== undefined || rules.changed !== undefined || selectors.changed;
  return {
    operation: changed ? 'update' : 'none',
    object: {
      ...existing,
      ...(metadata === undefined ? undefined : { metadata }),
      ...(rules.changed === undefined ? undefined : { rules: rules.changed }),
      ...(selectors.changed ? { aggregationRule: selectors.rule } : undefined),
    },
    protected: isProtected(existing),
    missingRules: rules.missing,
    extraRules: rules.extra,
    missingSelectors: selectors.missing,
    extraSelectors: selectors.extra,
  };
}

function creation<R extends Role | ClusterRole>(expected: R): RoleReconciliation<R> {
  return {
    operation: 'create',
    object: expected,
    protected: false,
    missingRules: expected.rules ?? [],
    extraRules: [],
    missingSelectors: selectorsOf(expected) ?? [],
    extraSelectors: [],
  };
}

/** Reports whether the administrator opted out of updates of the object. */
export function isProtected(object: { readonly metadata: { readonly annotations?: StringMap } }): boolean {
  return object.metadata.annotations?.[AUTO_UPDATE_ANNOTATION] === 'false';
}

/** Adds the expected metadata to the existing one; undefined if nothing is missing. */
export function mergeMetadata<M extends { readonly labels?: StringMap; readonly annotations?: StringMap }>(
  existing: M,
  expected: M,
): M | undefined {
  const labels = { ...expected.labels, ...existing.labels };
  const annotations = { ...expected.annotations, ...existing.annotations };
  const same = equalJson(labels, existing.labels ?? {}) && equalJson(annotations, existing.annotations ?? {});
  return same ? undefined : { ...existing, labels, annotations };
}

interface Rules {
  readonly missing: readonly PolicyRule[];
  readonly extra: readonly PolicyRule[];
  /** Undefined if the rules stay. */
  readonly changed: readonly PolicyRule[] | undefined;
}

function reconcileRules(existing: Role | ClusterRole, expected: Role | ClusterRole, removeExtra: boolean): Rules {
  const bothAggregated = selectorsOf(existing) !== undefined && selectorsOf(expected) !== undefined;
  const [there, wanted] = [existing.rules ?? [], expected.rules ?? []];
  // The usual case at start; breaking down both lists is expensive.
  if (equalJson(there, wanted)) return { missing: [], extra: [], changed: undefined };
  const missing = uncoveredRules(there, wanted);
  const extra = bothAggregated ? [] : uncoveredRules(wanted, there);
  if (removeExtra) return { missing, extra, changed: missing.length + extra.length > 0 ? wanted : undefined };
  return { missing, extra, changed: missing.length > 0 ? [...there, ...missing] : undefined };
}

interface Selectors {
  readonly missing: readonly Selector[];
  readonly extra: readonly Selector[];
  readonly changed: boolean;
  /** The new aggregation rule, if it changes. */
  readonly rule: ClusterRole['aggregationRule'];
}

function reconcileSelectors(existing: ClusterRole, expected: ClusterRole, removeExtra: boolean): Selectors {
  const [there, wanted] = [selectorsOf(existing), selectorsOf(expected)];
  const missing = without(wanted ?? [], there ?? []);
  const extra = without(there ?? [], wanted ?? []);
  if (wanted === undefined) return { missing, extra, changed: there !== undefined, rule: undefined };
  if (removeExtra) {
    return { missing, extra, changed: missing.length + extra.length > 0, rule: expected.aggregationRule };
  }
  const clusterRoleSelectors = [...(there ?? []), ...missing];
  return { missing, extra, changed: missing.length > 0, rule: { clusterRoleSelectors } };
}

/** Undefined for a role that is not aggregated; a Role never is. */
function selectorsOf(role: ClusterRole): readonly Selector[] | undefined {
  return role.aggregationRule === undefined ? undefined : (role.aggregationRule.clusterRoleSelectors ?? []);
}

function without(selectors: readonly Selector[], others: readonly Selector[]): readonly Selector[] {
  return selectors.filter((selector) => !others.some((other) => semanticEqual(selector, other)));
}
