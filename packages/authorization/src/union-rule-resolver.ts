import type { RuleResolver } from '@apiserver/apiserver-contracts';

/**
 * Concatenates the rules of all resolvers, in order.
 * Upstream: unionAuthzRulesHandler in k8s.io/apiserver/pkg/authorization/union
 */
export function unionRuleResolver(resolvers: readonly RuleResolver[]): RuleResolver {
  return {
    async rulesFor(user, namespace) {
      const responses = await Promise.all(resolvers.map((resolver) => resolver.rulesFor(user, namespace)));
      return {
        resourceRules: responses.flatMap(({ resourceRules }) => resourceRules),
        nonResourceRules: responses.flatMap(({ nonResourceRules }) => nonResourceRules),
        incomplete: responses.some(({ incomplete }) => incomplete),
        errors: responses.flatMap(({ errors }) => errors),
      };
    },
  };
}
