import type { RuleResolver } from '@apiserver/apiserver-contracts';

/**
 * Concatenates the rules of all resolvers, in order.
 * Upstream: unionAuthzRulesHandler in k8s.io/apiserver/pkg/authorization/union
 */
export function unionRuleResolver(resolvers: readonly RuleResolver[]): RuleResolver {
  return {
    async rulesFor(user, namespace) {
      const answers = await Promise.all(resolvers.map((resolver) => resolver.rulesFor(user, namespace)));
      return {
        resourceRules: answers.flatMap(({ resourceRules }) => resourceRules),
        nonResourceRules: answers.flatMap(({ nonResourceRules }) => nonResourceRules),
        incomplete: answers.some(({ incomplete }) => incomplete),
        errors: answers.flatMap(({ errors }) => errors),
      };
    },
  };
}
