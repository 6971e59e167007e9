import type { NonResourceRuleInfo, ResourceRuleInfo, RuleResolver, UserInfo } from '@apiserver/apiserver-contracts';
import type { PolicyRule } from './policy-objects.js';
import type { BindingMatch } from './resolution/binding-match.js';
import type { PolicyIndex, RuleVisitor } from './resolution/policy-index.js';

/** Rules, their lists and the texts in them that one answer has. */
const MAX_VALUES = 100_000;
/** UTF-16 units of these texts. */
const MAX_CHARACTERS = 3 * 1024 * 1024;
/** Roles that cannot be read. */
const MAX_ERRORS = 1_000;

/** The rules of a user in a namespace; beyond a bound the first ones, which are `incomplete`. */
export function listRules(
  index: PolicyIndex,
  user: UserInfo,
  namespace: string,
): Awaited<ReturnType<RuleResolver['rulesFor']>> {
  const { found, errors, incomplete } = visitRules(index, user, namespace);
  const resourceRules: ResourceRuleInfo[] = [];
  const nonResourceRules: NonResourceRuleInfo[] = [];
  for (const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } of found) {
    if (resources.length > 0) resourceRules.push({ verbs: verbs ?? [], apiGroups, resources, resourceNames });
    if (nonResourceURLs.length > 0) nonResourceRules.push({ verbs: verbs ?? [], nonResourceURLs });
  }
  return { resourceRules, nonResourceRules, incomplete, errors };
}

function visitRules(index: PolicyIndex, user: UserInfo, namespace: string): ListingVisitor {
  const visitor = new ListingVisitor();
  index.visitRulesFor(user, namespace, visitor);
  if (visitor.incomplete) visitor.errors.push(new Error('the user has too many rules to list them all'));
  return visitor;
}

/** Many bindings of one role repeat its rules, as upstream. */
class ListingVisitor implements RuleVisitor {
  readonly found: PolicyRule[] = [];
  readonly errors: Error[] = [];
  incomplete = false;
  #values = 0;
  #characters = 0;

  rules(_source: BindingMatch, rules: readonly PolicyRule[]): boolean {
    for (const rule of rules) {
      this.#count(rule);
      if (this.incomplete) return false;
      this.found.push(rule);
    }
    return true;
  }

  error(_source: BindingMatch, error: () => Error): boolean {
    if (this.errors.length < MAX_ERRORS) this.errors.push(error());
    else this.incomplete = true;
    return true;
  }

  #count(rule: PolicyRule): void {
    this.#values++;
    for (const texts of [rule.verbs, rule.apiGroups, rule.resources, rule.resourceNames, rule.nonResourceURLs]) {
      this.#values += 1 + (texts?.length ?? 0);
      for (const text of texts ?? []) this.#characters += text.length;
    }
    if (this.#values > MAX_VALUES || this.#characters > MAX_CHARACTERS) this.incomplete = true;
  }
}
