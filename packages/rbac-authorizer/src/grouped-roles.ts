import type { PolicyRule } from './policy-objects.js';
import { type RuleAttributes, someRuleAllows } from './rule-allows.js';

/** Fewer rules than these are read from the first to the last as fast. */
const MIN_GROUPED_RULES = 4;
/** Rules of more groups are not grouped: it costs many times what a look at them costs, and their memory again. */
const MAX_GROUPS = 1_000;

/** Rules by API group: "*" has those of all groups, and undefined those of paths. */
type GroupedRules = ReadonlyMap<string | undefined, readonly PolicyRule[]>;

/** Judges requests by the rules of roles. A role may have a rule for each of many groups, and is judged by few of them. */
export class GroupedRoles {
  /** Not of the module: a plane that has ended would outlive V8's young collections. */
  readonly #roles = new WeakMap<readonly PolicyRule[], GroupedRules | 'ungrouped'>();

  /** Reports whether one of a role's rules allows the request. The rules must not change. */
  allows(request: RuleAttributes, rules: readonly PolicyRule[]): boolean {
    if (rules.length < MIN_GROUPED_RULES) return someRuleAllows(request, rules);
    const groups = this.#groupsOf(rules);
    if (groups === 'ungrouped') return someRuleAllows(request, rules);
    if (!request.isResourceRequest) return someRuleAllows(request, groups.get(undefined));
    return someRuleAllows(request, groups.get(request.apiGroup)) || someRuleAllows(request, groups.get('*'));
  }

  #groupsOf(rules: readonly PolicyRule[]): GroupedRules | 'ungrouped' {
    let groups = this.#roles.get(rules);
    if (groups === undefined) {
      groups = groupRules(rules);
      this.#roles.set(rules, groups);
    }
    return groups;
  }
}

function groupRules(rules: readonly PolicyRule[]): GroupedRules | 'ungrouped' {
  const groups = new Map<string | undefined, PolicyRule[]>();
  const add = (group: string | undefined, rule: PolicyRule) => {
    const known = groups.get(group);
    if (known === undefined) groups.set(group, [rule]);
    // A rule may name a group many times.
    else if (known.at(-1) !== rule) known.push(rule);
  };
  for (const rule of rules) {
    for (const group of rule.apiGroups ?? []) {
      add(group, rule);
      if (groups.size > MAX_GROUPS) return 'ungrouped';
    }
    if ((rule.nonResourceURLs ?? []).length > 0) add(undefined, rule);
  }
  return groups;
}
