import type { AuthorizationAttributes } from '@apiserver/apiserver-contracts';
import type { PolicyRule } from './policy-objects.js';

/** The attributes of a request in the form in which rules are matched. Made once per request. */
export interface RuleAttributes {
  readonly isResourceRequest: boolean;
  readonly verb: string;
  readonly apiGroup: string;
  /** `resource` or `resource/subresource`. */
  readonly combinedResource: string;
  /** The wildcard for this subresource of any resource; undefined without a subresource. */
  readonly anySubresource: string | undefined;
  readonly name: string;
  readonly path: string;
}

/** Prepares the attributes of a request for `ruleAllows`. */
export function ruleAttributes(attributes: AuthorizationAttributes): RuleAttributes {
  const { isResourceRequest, verb, apiGroup, resource, subresource, name, path } = attributes;
  const hasSubresource = subresource !== '';
  return {
    isResourceRequest,
    verb,
    apiGroup,
    combinedResource: hasSubresource ? `${resource}/${subresource}` : resource,
    anySubresource: hasSubresource ? `*/${subresource}` : undefined,
    name,
    path,
  };
}

/**
 * Reports whether the rule allows the request.
 * Upstream: RuleAllows in plugin/pkg/auth/authorizer/rbac/rbac.go, pkg/apis/rbac/v1/evaluation_helpers.go
 */
export function ruleAllows(request: RuleAttributes, rule: PolicyRule): boolean {
  if (!hasOrAll(rule.verbs, request.verb)) return false;
  if (!request.isResourceRequest) return nonResourceURLMatches(rule, request.path);
  return (
    hasOrAll(rule.apiGroups, request.apiGroup) &&
    resourceMatches(rule, request) &&
    resourceNameMatches(rule, request.name)
  );
}

/** Reports whether one of the rules allows the request. Upstream: RulesAllow */
export function rulesAllow(attributes: AuthorizationAttributes, rules: readonly PolicyRule[]): boolean {
  return someRuleAllows(ruleAttributes(attributes), rules);
}

/** Is `rulesAllow` for prepared attributes. */
export function someRuleAllows(request: RuleAttributes, rules: readonly PolicyRule[] | undefined): boolean {
  if (rules !== undefined) for (const rule of rules) if (ruleAllows(request, rule)) return true;
  return false;
}

function hasOrAll(values: readonly string[] | null | undefined, wanted: string): boolean {
  if (values === undefined || values === null) return false;
  for (const value of values) if (value === '*' || value === wanted) return true;
  return false;
}

function resourceMatches(rule: PolicyRule, { combinedResource, anySubresource }: RuleAttributes): boolean {
  for (const resource of rule.resources ?? []) {
    if (resource === '*' || resource === combinedResource || resource === anySubresource) return true;
  }
  return false;
}

/** A rule without names matches all; one with names never matches a request without a name (list, create …). */
function resourceNameMatches({ resourceNames }: PolicyRule, name: string): boolean {
  return resourceNames === undefined || resourceNames.length === 0 || resourceNames.includes(name);
}

function nonResourceURLMatches(rule: PolicyRule, path: string): boolean {
  for (const url of rule.nonResourceURLs ?? []) if (pathMatches(url, path)) return true;
  return false;
}

/** Reports whether a pattern matches the path. A pattern is a path, or a prefix that ends with `*`. */
export function pathMatches(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(withoutStars(pattern)));
}

/** The prefix of a pattern of paths. */
export function withoutStars(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === '*') end--;
  return pattern.slice(0, end);
}
