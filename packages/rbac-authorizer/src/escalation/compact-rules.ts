import type { PolicyRule } from '../policy-objects.js';
import { quoteList } from '../quote-list.js';

/**
 * Merges the rules for the same single resource (and name, if any) into one rule with all their verbs; other rules
 * stay. Shortens the parts that `uncoveredRules` returns for messages.
 * Upstream: CompactRules in pkg/registry/rbac/validation/policy_compact.go
 */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const compacted: PolicyRule[] = [];
  const simple = new SimpleRules();
  for (const rule of rules) if (!simple.add(rule)) compacted.push(rule);
  return [...compacted, ...simple.rules];
}

type VerbsByName = Map<string | undefined, string[]>;

/** Rules for one group, one resource and at most one name each, with the verbs of all that were added. */
class SimpleRules {
  /** In the order of their first verbs. */
  readonly rules: PolicyRule[] = [];
  // Nested maps need no joined key, which would repeat a long name for each verb.
  readonly #verbs = new Map<string, Map<string, VerbsByName>>();

  /** Returns false for other rules. */
  add(rule: PolicyRule): boolean {
    const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
    const [group, ...otherGroups] = apiGroups;
    const [resource, ...otherResources] = resources;
    if (group === undefined || resource === undefined) return false;
    const others = otherGroups.length + otherResources.length + nonResourceURLs.length;
    if (others > 0 || resourceNames.length > 1) return false;
    const ofGroup = entryOf(this.#verbs, group, () => new Map<string, VerbsByName>());
    const ofResource: VerbsByName = entryOf(ofGroup, resource, () => new Map<string | undefined, string[]>());
    const verbs = entryOf(ofResource, resourceNames[0], () => this.#newRule(rule));
    for (const verb of rule.verbs ?? []) verbs.push(verb);
    return true;
  }

  #newRule(rule: PolicyRule): string[] {
    const verbs: string[] = [];
    this.rules.push({ ...rule, verbs });
    return verbs;
  }
}

function entryOf<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = create();
  map.set(key, made);
  return made;
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
