import { labelSelectorAsSelector } from '@apiserver/apimachinery/selectors';
import type { ClusterRole, PolicyRule } from '../policy-objects.js';

/**
 * The rules of a role with an aggregationRule: for each selector in order, the rules of the selected roles sorted by
 * name. Each rule occurs once, and the role's own rules are left out. Undefined for a role without aggregationRule.
 * Throws a ParseError for an invalid selector.
 * Upstream: syncClusterRole in pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go
 */
export function aggregatedRules(role: ClusterRole, clusterRoles: readonly ClusterRole[]): PolicyRule[] | undefined {
  if (role.aggregationRule === undefined) return undefined;
  const rules = new Map<string, PolicyRule>();
  for (const spec of role.aggregationRule.clusterRoleSelectors ?? []) {
    const selector = labelSelectorAsSelector(spec);
    const selected = clusterRoles.filter(({ metadata }) => selector.matches(metadata.labels ?? {})).sort(byName);
    for (const { metadata, rules: granted } of selected) {
      if (metadata.name === role.metadata.name) continue;
      for (const rule of granted ?? []) if (!rules.has(identity(rule))) rules.set(identity(rule), rule);
    }
  }
  return [...rules.values()];
}

function byName(a: ClusterRole, b: ClusterRole): number {
  const [left, right] = [a.metadata.name ?? '', b.metadata.name ?? ''];
  return left < right ? -1 : Number(left > right);
}

/** Equal for equal rules; an absent list equals an empty one. */
function identity({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((list) => list ?? []));
}
