import type { MatchResources, RuleWithOperations } from '@apiserver/api/admissionregistration/v1';

/** The members of rules that have defaults. */
type ScopedRule = Pick<RuleWithOperations, 'scope'>;

/** Upstream: SetDefaults_Rule of pkg/apis/admissionregistration/v1/defaults.go */
export function applyRuleDefaults(rules: readonly ScopedRule[] | undefined): void {
  for (const rule of rules ?? []) rule.scope ??= '*';
}

/** Upstream: SetDefaults_MatchResources */
export function applyMatchDefaults(resources: MatchResources | undefined): void {
  if (resources === undefined) return;
  resources.matchPolicy ??= 'Equivalent';
  resources.namespaceSelector ??= {};
  resources.objectSelector ??= {};
  applyRuleDefaults(resources.resourceRules);
  applyRuleDefaults(resources.excludeResourceRules);
}
