import { aggregateMessages } from '@apiserver/apimachinery/field';
import type {
  AuthorizationAttributes,
  AuthorizationResult,
  Authorizer,
  Logger,
  NonResourceRuleInfo,
  ResourceRuleInfo,
  RuleResolver,
  UserInfo,
} from '@apiserver/apiserver-contracts';
import { denialText } from './denial-text.js';
import type { PolicyRule } from './policy-objects.js';
import type { BindingMatch } from './resolution/binding-match.js';
import type { PolicyIndex, RuleVisitor } from './resolution/policy-index.js';
import { type RuleAttributes, ruleAllows, ruleAttributes } from './rule-allows.js';

const noOpinion: AuthorizationResult = { decision: 'NoOpinion', reason: '' };

/** Decides by roles and bindings; never denies. Always synchronous. */
export interface RbacAuthorizer extends Authorizer, RuleResolver {
  authorize(attributes: AuthorizationAttributes): AuthorizationResult;
}

/**
 * Allows a request that a rule of the user's roles allows, and names the binding; otherwise has no opinion. Lookup
 * failures (such as a missing role) become the reason then, never an error, because rules only add permissions.
 * Upstream: plugin/pkg/auth/authorizer/rbac/rbac.go
 */
export function rbacAuthorizer(index: PolicyIndex, logger: Logger): RbacAuthorizer {
  return {
    authorize(attributes) {
      const visitor = new AuthorizingVisitor(ruleAttributes(attributes));
      index.visitRulesFor(attributes.user, attributes.namespace, visitor);
      const { allowedBy, errors } = visitor;
      if (allowedBy !== undefined) return { decision: 'Allow', reason: `RBAC: allowed by ${allowedBy}` };
      logger.v(5)?.info(denialText(attributes));
      if (errors === undefined) return noOpinion;
      return { decision: 'NoOpinion', reason: `RBAC: ${aggregateMessages(errors.map(({ message }) => message))}` };
    },
    rulesFor: async (user, namespace) => listRules(index, user, namespace),
  };
}

/** Stops at the first rule that allows the request. */
class AuthorizingVisitor implements RuleVisitor {
  allowedBy: BindingMatch | undefined;
  errors: Error[] | undefined;
  readonly #request: RuleAttributes;
  /** The last rules that did not match: many bindings of one role evaluate its rules once. */
  #lastSeen: readonly PolicyRule[] | undefined;
  #seen: Set<readonly PolicyRule[]> | undefined;

  constructor(request: RuleAttributes) {
    this.#request = request;
  }

  rules(source: BindingMatch, rules: readonly PolicyRule[]): boolean {
    if (rules === this.#lastSeen || this.#seen?.has(rules)) return true;
    for (const rule of rules) {
      if (!ruleAllows(this.#request, rule)) continue;
      this.allowedBy = source;
      return false;
    }
    if (this.#lastSeen !== undefined) {
      this.#seen ??= new Set();
      this.#seen.add(this.#lastSeen);
    }
    this.#lastSeen = rules;
    return true;
  }

  error(error: Error): void {
    this.errors ??= [];
    this.errors.push(error);
  }
}

function listRules(
  index: PolicyIndex,
  user: UserInfo,
  namespace: string,
): Awaited<ReturnType<RuleResolver['rulesFor']>> {
  const { rules, errors } = index.rulesFor(user, namespace);
  const resourceRules: ResourceRuleInfo[] = [];
  const nonResourceRules: NonResourceRuleInfo[] = [];
  for (const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } of rules) {
    if (resources.length > 0) resourceRules.push({ verbs: verbs ?? [], apiGroups, resources, resourceNames });
    if (nonResourceURLs.length > 0) nonResourceRules.push({ verbs: verbs ?? [], nonResourceURLs });
  }
  return { resourceRules, nonResourceRules, incomplete: false, errors };
}
