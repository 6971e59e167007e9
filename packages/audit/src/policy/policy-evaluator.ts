import type { AuthorizationAttributes, UserInfo } from '@apiserver/apiserver-contracts';
import type { AuditLevel, AuditStage } from '../event/audit-event.js';
import type { AuditPolicy, GroupResources, PolicyRule } from './audit-policy.js';

/** The result of a policy for one request. Upstream: k8s.io/apiserver/pkg/audit.RequestAuditConfig */
export interface RequestAuditConfig {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** The attributes of a request that a policy looks at. `user` is undefined without authentication. */
export interface AuditAttributes extends Omit<AuthorizationAttributes, 'user'> {
  readonly user: UserInfo | undefined;
}

/** Decides how a request is audited. */
export type PolicyEvaluator = (attributes: AuditAttributes) => RequestAuditConfig;

type Matcher = (attributes: AuditAttributes) => boolean;

/**
 * Compiles a valid policy. A request that no rule matches is not audited.
 * Upstream: k8s.io/apiserver/pkg/audit/policy/checker.go
 */
export function newPolicyEvaluator(policy: AuditPolicy): PolicyEvaluator {
  const rules = policy.rules.map((rule) => ({ matches: ruleMatcher(rule), config: configOf(policy, rule) }));
  const otherwise: RequestAuditConfig = configOf(policy, { level: 'None' });
  return (attributes) => {
    for (const { matches, config } of rules) if (matches(attributes)) return config;
    return otherwise;
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
    return ({ isResourceRequest, path }) =>
      !isResourceRequest && nonResourceURLs.some((pattern) => pathMatches(path, pattern));
  }
  const matchers = resources.map(resourcesMatcher);
  return (attributes) => {
    if (!attributes.isResourceRequest) return false;
    if (allowed !== undefined && !allowed.has(attributes.namespace)) return false;
    return matchers.length === 0 || matchers.some((matches) => matches(attributes));
  };
}

function pathMatches(path: string, pattern: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, ''));
}

function resourcesMatcher({ group = '', resources = [], resourceNames }: GroupResources): Matcher {
  const names = setOf(resourceNames);
  const patterns = resources.map(resourceMatcher);
  return (attributes) => {
    if (group !== '*' && group !== attributes.apiGroup) return false;
    if (patterns.length === 0) return true;
    if (names !== undefined && !names.has(attributes.name)) return false;
    return patterns.some((matches) => matches(attributes));
  };
}

/** `*`, `pods`, `pods/log`, `pods/*` (with pods itself) and `*\/scale`. */
function resourceMatcher(pattern: string): Matcher {
  if (pattern === '*') return () => true;
  const ofResource = pattern.endsWith('/*') ? pattern.slice(0, -2) : undefined;
  const ofSubresource = pattern.startsWith('*/') ? pattern.slice(2) : undefined;
  return ({ resource, subresource }) => {
    if ((subresource === '' ? resource : `${resource}/${subresource}`) === pattern) return true;
    return (subresource !== '' && subresource === ofSubresource) || resource === ofResource;
  };
}

function setOf(values: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return values === undefined || values.length === 0 ? undefined : new Set(values);
}
