import type {
  AuthorizationAttributes,
  AuthorizationResult,
  Authorizer,
  NonResourceRuleInfo,
  ResourceRuleInfo,
  RuleResolver,
  UserInfo,
} from '@apiserver/apiserver-contracts';
import type { AbacPolicy } from './abac-policy.js';

const allow: AuthorizationResult = { decision: 'Allow', reason: '' };
const noMatch: AuthorizationResult = { decision: 'NoOpinion', reason: 'No policy matched.' };

/**
 * Allows what a policy of a file matches: attribute-based access control.
 * Upstream: pkg/auth/authorizer/abac/abac.go
 */
export function abacAuthorizer(policies: readonly AbacPolicy[]): Authorizer & RuleResolver {
  return {
    authorize(attributes) {
      for (const policy of policies) if (matches(policy, attributes)) return allow;
      return noMatch;
    },
    async rulesFor(user, namespace) {
      const own = policies.filter(
        (policy) => matchesSubject(policy, user) && (policy.namespace === '*' || policy.namespace === namespace),
      );
      return {
        resourceRules: own.flatMap(resourceRules),
        nonResourceRules: own.flatMap(nonResourceRules),
        incomplete: false,
        errors: [],
      };
    },
  };
}

function matches(policy: AbacPolicy, attributes: AuthorizationAttributes): boolean {
  if (!matchesSubject(policy, attributes.user)) return false;
  if (policy.readonly && !attributes.readOnly) return false;
  return attributes.isResourceRequest ? matchesResource(policy, attributes) : matchesPath(policy, attributes.path);
}

/** A policy without user and group matches no one. */
function matchesSubject({ user, group }: AbacPolicy, { name, groups }: UserInfo): boolean {
  if (user !== '' && user !== '*' && user !== name) return false;
  if (group !== '' && group !== '*' && !groups.includes(group)) return false;
  return user !== '' || group !== '';
}

function matchesResource(policy: AbacPolicy, { namespace, resource, apiGroup }: AuthorizationAttributes): boolean {
  return (
    (policy.namespace === '*' || policy.namespace === namespace) &&
    (policy.resource === '*' || policy.resource === resource) &&
    (policy.apiGroup === '*' || policy.apiGroup === apiGroup)
  );
}

function matchesPath({ nonResourcePath: pattern }: AbacPolicy, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, ''));
}

function resourceRules(policy: AbacPolicy): ResourceRuleInfo[] {
  if (policy.resource === '') return [];
  const { apiGroup, resource } = policy;
  return [{ verbs: verbsOf(policy), apiGroups: [apiGroup], resources: [resource], resourceNames: [] }];
}

function nonResourceRules(policy: AbacPolicy): NonResourceRuleInfo[] {
  if (policy.nonResourcePath === '') return [];
  return [{ verbs: verbsOf(policy), nonResourceURLs: [policy.nonResourcePath] }];
}

function verbsOf({ readonly }: AbacPolicy): string[] {
  return readonly ? ['get', 'list', 'watch'] : ['*'];
}
