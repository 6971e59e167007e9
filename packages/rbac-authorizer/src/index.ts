/** Role-based access control. */
export { aggregatedRules } from './aggregation/aggregated-rules.js';
export {
  type ClusterRoleAggregationOptions,
  runClusterRoleAggregation,
} from './aggregation/cluster-role-aggregation-controller.js';
export { bootstrapPolicy, type PolicyData } from './bootstrap-policy/bootstrap-policy.js';
export { nodeRules } from './bootstrap-policy/node-rules.js';
export { AUTO_UPDATE_ANNOTATION } from './bootstrap-policy/policy-builders.js';
export type { PolicyFeatures } from './bootstrap-policy/policy-features.js';
export { type EscalationGuard, type EscalationGuardOptions, escalationGuard } from './escalation/escalation-guard.js';
export type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from './policy-objects.js';
export { type RbacAuthorizer, rbacAuthorizer } from './rbac-authorizer.js';
export {
  type BootstrapRolesHook,
  type BootstrapRolesOptions,
  bootstrapRolesHook,
  type HookContext,
} from './reconciliation/bootstrap-roles-hook.js';
export type { AuthorizationRuleResolver, ResolvedRules } from './resolution/authorization-rule-resolver.js';
export { InformedPolicyIndex, type PolicyInformers } from './resolution/informed-policy-index.js';
export { listedRuleResolver, type PolicyReader } from './resolution/listed-rule-resolver.js';
export { PolicyIndex, type RoleGetters, type RuleVisitor } from './resolution/policy-index.js';
export { pathMatches, rulesAllow } from './rule-allows.js';
