import type { GroupVersionResource } from '@apiserver/apimachinery';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';

/** A rule of a webhook or of a policy, in the fields of the API. */
export interface ResourceRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  /** Patterns of resources and subresources, such as `pods`, `pods/status` and `*`. */
  readonly resources?: readonly string[];
  /** `Cluster`, `Namespaced` or `*`. Default: `*`. */
  readonly scope?: string;
  /** Policies only. Default: all names. */
  readonly resourceNames?: readonly string[];
}

/** The properties of a request that rules read, besides its resource. */
type RuleRequest = Pick<AdmissionAttributes, 'operation' | 'subresource' | 'namespace' | 'name'>;

/**
 * Reports whether a rule selects a request, as a request for `resource`.
 * Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules
 */
export function ruleMatches(rule: ResourceRule, request: RuleRequest, resource: GroupVersionResource): boolean {
  return (
    scopeMatches(rule.scope, request, resource) &&
    includes(rule.operations, request.operation) &&
    includes(rule.apiGroups, resource.group) &&
    includes(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((pattern) => resourceMatches(pattern, resource.resource, request.subresource)) &&
    nameMatches(rule.resourceNames, request.name)
  );
}

function includes(items: readonly string[] | undefined, wanted: string): boolean {
  return items?.some((item) => item === '*' || item === wanted) ?? false;
}

function scopeMatches(scope: string | undefined, { namespace }: RuleRequest, resource: GroupVersionResource): boolean {
  if (scope === undefined || scope === '*') return true;
  // A request for a namespace names it as its own namespace.
  const isClusterScoped = isNamespaces(resource) || namespace === '';
  return (scope === 'Cluster' && isClusterScoped) || (scope === 'Namespaced' && !isClusterScoped);
}

function isNamespaces({ group, version, resource }: GroupVersionResource): boolean {
  return group === '' && version === 'v1' && resource === 'namespaces';
}

function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf('/');
  const wanted = slash < 0 ? pattern : pattern.slice(0, slash);
  const wantedSubresource = slash < 0 ? '' : pattern.slice(slash + 1);
  return (wanted === '*' || wanted === resource) && (wantedSubresource === '*' || wantedSubresource === subresource);
}

function nameMatches(names: readonly string[] | undefined, name: string): boolean {
  return names === undefined || names.length === 0 || names.includes(name);
}
