import type { PolicyRule } from '../policy-objects.js';
import { quoteList } from '../quote-list.js';

/**
 * Merges the rules for the same single resource (and name, if any) into one rule with all their verbs; other rules
 * stay. Shortens the parts that `uncoveredRules` returns for messages.
 * Upstream: CompactRules in pkg/registry/rbac/validation/policy_compact.go
 */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const compacted: PolicyRule[] = [];
  const simple = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const key = simpleResourceKey(rule);
    if (key === undefined) {
      compacted.push(rule);
      continue;
    }
    const known = simple.get(key);
    simple.set(key, known === undefined ? rule : { ...known, verbs: [...(known.verbs ?? []), ...(rule.verbs ?? [])] });
  }
  return [...compacted, ...simple.values()];
}

/** Undefined unless the rule has exactly one group, one resource, and at most one name. */
function simpleResourceKey(rule: PolicyRule): string | undefined {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const simple = apiGroups.length === 1 && resources.length === 1 && resourceNames.length <= 1;
  return simple && nonResourceURLs.length === 0
    ? JSON.stringify([apiGroups[0], resources[0], ...resourceNames])
    : undefined;
}

/**
 * The rule on one line, as in the escalation error: `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`.
 * Upstream: CompactString in pkg/apis/rbac/v1/evaluation_helpers.go
 */
export function formatRule(rule: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[] | null | undefined])[] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const shown = parts.flatMap(([name, values]) => (values?.length ? [`${name}:${quoteList(values)}`] : []));
  return `{${shown.join(', ')}}`;
}
