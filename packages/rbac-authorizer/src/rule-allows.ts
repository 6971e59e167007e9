import type { AuthorizationAttributes } from '@apiserver/apiserver-contracts';
import type { PolicyRule } from './policy-objects.js';

/** Attributes in the form that rules are compared with; made once per request. */
export interface RuleQuestion {
  readonly isResourceRequest: boolean;
  readonly verb: string;
  readonly apiGroup: string;
  /** `resource` or `resource/subresource`. */
  readonly combinedResource: string;
  /** What a rule for this subresource of everything says; undefined without a subresource. */
  readonly anySubresource: string | undefined;
  readonly name: string;
  readonly path: string;
}

/** What rules have to say about the request. */
export function ruleQuestion(attributes: AuthorizationAttributes): RuleQuestion {
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
 * Whether the rule allows what is asked for.
 * Upstream: RuleAllows in plugin/pkg/auth/authorizer/rbac/rbac.go, pkg/apis/rbac/v1/evaluation_helpers.go
 */
export function ruleAllows(question: RuleQuestion, rule: PolicyRule): boolean {
  if (!hasOrAll(rule.verbs, question.verb)) return false;
  if (!question.isResourceRequest) return nonResourceURLMatches(rule, question.path);
  return (
    hasOrAll(rule.apiGroups, question.apiGroup) &&
    resourceMatches(rule, question) &&
    resourceNameMatches(rule, question.name)
  );
}

function hasOrAll(values: readonly string[] | null | undefined, wanted: string): boolean {
  if (values === undefined || values === null) return false;
  for (const value of values) if (value === '*' || value === wanted) return true;
  return false;
}

function resourceMatches(rule: PolicyRule, { combinedResource, anySubresource }: RuleQuestion): boolean {
  for (const resource of rule.resources ?? []) {
    if (resource === '*' || resource === combinedResource || resource === anySubresource) return true;
  }
  return false;
}

/** A rule without names is about all; one with names never matches a request without (list, create …). */
function resourceNameMatches({ resourceNames }: PolicyRule, name: string): boolean {
  return resourceNames === undefined || resourceNames.length === 0 || resourceNames.includes(name);
}

function nonResourceURLMatches(rule: PolicyRule, path: string): boolean {
  for (const url of rule.nonResourceURLs ?? []) if (pathMatches(url, path)) return true;
  return false;
}

/** Whether the pattern, a path or the beginning of one before `*`, takes in the path. */
export function pathMatches(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(withoutStars(pattern)));
}

function withoutStars(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === '*') end--;
  return pattern.slice(0, end);
}
