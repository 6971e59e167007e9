import type { AuditLevel, AuditStage } from '../event/audit-event.js';
import type { AuditAttributes } from './audit-attributes.js';
import type { AuditPolicy, GroupResources, PolicyRule } from './audit-policy.js';
import { PathPatterns } from './path-patterns.js';
import { RuleIndex } from './rule-index.js';

/** The result of a policy for one request. Upstream: k8s.io/apiserver/pkg/audit.RequestAuditConfig */
export interface RequestAuditConfig {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** Decides how a request is audited. */
export type PolicyEvaluator = (attributes: AuditAttributes) => RequestAuditConfig;

type Matcher = (attributes: AuditAttributes) => boolean;

/**
 * Compiles a valid policy. A request that no rule matches is not audited.
 * Upstream: k8s.io/apiserver/pkg/audit/policy/checker.go
 */
export function newPolicyEvaluator(policy: AuditPolicy): PolicyEvaluator {
  const matchers = policy.rules.map(ruleMatcher);
  const configs = policy.rules.map((rule) => configOf(policy, rule));
  const index = new RuleIndex(policy.rules, (rule, attributes) => matchers[rule]?.(attributes) === true);
  const otherwise: RequestAuditConfig = configOf(policy, { level: 'None' });
  return (attributes) => {
    const rule = index.first(attributes);
    return (rule === undefined ? undefined : configs[rule]) ?? otherwise;
  };
}

function configOf(policy: AuditPolicy, rule: PolicyRule): RequestAuditConfig {
  return {
    level: rule.level,
    omitStages: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])]),
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
  };
}

function ruleMatcher(rule: PolicyRule): Matcher {
  const conditions: Matcher[] = [];
  const users = setOf(rule.users);
  if (users !== undefined) conditions.push(({ user }) => user !== undefined && users.has(user.name));
  const groups = setOf(rule.userGroups);
  if (groups !== undefined) conditions.push(({ user }) => user?.groups.some((group) => groups.has(group)) === true);
  const verbs = setOf(rule.verbs);
  if (verbs !== undefined) conditions.push(({ verb }) => verbs.has(verb));
  const target = targetMatcher(rule);
  if (target !== undefined) conditions.push(target);
  return (attributes) => conditions.every((condition) => condition(attributes));
}

/** Rules for resources do not look at paths. */
function targetMatcher({ namespaces, resources = [], nonResourceURLs = [] }: PolicyRule): Matcher | undefined {
  const allowed = setOf(namespaces);
  if (allowed === undefined && resources.length === 0) {
    if (nonResourceURLs.length === 0) return undefined;
    const patterns = new PathPatterns<true>();
    patterns.add(nonResourceURLs, true);
    return ({ isResourceRequest, path }) => !isResourceRequest && patterns.has(path);
  }
  const matchers = resources.map(resourcesMatcher);
  return (attributes) => {
    if (!attributes.isResourceRequest) return false;
    if (allowed !== undefined && !allowed.has(attributes.namespace)) return false;
    return matchers.length === 0 || matchers.some((matches) => matches(attributes));
  };
}

function resourcesMatcher({ group = '', resources = [], resourceNames }: GroupResources): Matcher {
  const names = setOf(resourceNames);
  const patterns = new Set(resources);
  return (attributes) => {
    if (group !== '*' && group !== attributes.apiGroup) return false;
    if (patterns.size === 0) return true;
    if (names !== undefined && !names.has(attributes.name)) return false;
    return hasResource(patterns, attributes);
  };
}

/** `*`, `pods`, `pods/log`, `pods/*` (with pods itself) and `*\/scale`. */
function hasResource(patterns: ReadonlySet<string>, { resource, subresource }: AuditAttributes): boolean {
  if (patterns.has('*') || patterns.has(`${resource}/*`)) return true;
  if (subresource === '') return patterns.has(resource);
  return patterns.has(`${resource}/${subresource}`) || patterns.has(`*/${subresource}`);
}

function setOf(values: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return values === undefined || values.length === 0 ? undefined : new Set(values);
}
