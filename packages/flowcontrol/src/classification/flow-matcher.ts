import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '@apiserver/api/flowcontrol/v1';
import type { RequestInfo, UserInfo } from '@apiserver/apiserver-contracts';

/** Tells whether a request belongs to a flow schema. */
export type FlowMatcher = (info: RequestInfo, user: UserInfo) => boolean;

/**
 * Compiles the rules of a flow schema.
 * Upstream: matchesFlowSchema of k8s.io/apiserver/pkg/util/flowcontrol/rule.go
 */
export function flowMatcher({ spec }: FlowSchema): FlowMatcher {
  return anyOf((spec.rules ?? []).map(ruleMatcher));
}

function anyOf<A extends unknown[]>(tests: readonly ((...args: A) => boolean)[]): (...args: A) => boolean {
  const [only] = tests;
  if (tests.length === 1 && only !== undefined) return only;
  return (...args) => tests.some((test) => test(...args));
}

/** Most rules are for everything, and their subjects decide. */
function ruleMatcher({ subjects, resourceRules, nonResourceRules }: PolicyRulesWithSubjects): FlowMatcher {
  const isSubject = anyOf((subjects ?? []).map(subjectMatcher));
  const isResource = anyOf((resourceRules ?? []).map(resourceMatcher));
  const isNonResource = anyOf((nonResourceRules ?? []).map(nonResourceMatcher));
  const hasResources = (resourceRules ?? []).length > 0;
  const hasNonResources = (nonResourceRules ?? []).length > 0;
  return (info, user) => {
    if (!(info.isResourceRequest ? hasResources : hasNonResources)) return false;
    return isSubject(user) && (info.isResourceRequest ? isResource(info) : isNonResource(info));
  };
}

const SERVICE_ACCOUNT = 'system:serviceaccount:';

function subjectMatcher({ kind, user, group, serviceAccount }: Subject): (user: UserInfo) => boolean {
  if (kind === 'User' && user !== undefined) {
    return user.name === '*' ? () => true : ({ name }) => name === user.name;
  }
  if (kind === 'Group' && group !== undefined) {
    return group.name === '*' ? () => true : ({ groups }) => groups.includes(group.name);
  }
  if (kind !== 'ServiceAccount' || serviceAccount === undefined) return () => false;
  const prefix = `${SERVICE_ACCOUNT}${serviceAccount.namespace}:`;
  if (serviceAccount.name === '*') return ({ name }) => name.startsWith(prefix);
  return ({ name }) => name === `${prefix}${serviceAccount.name}`;
}

function resourceMatcher(rule: ResourcePolicyRule): (info: RequestInfo) => boolean {
  const isVerb = memberOf(rule.verbs);
  const isResource = memberOf(rule.resources);
  const isGroup = memberOf(rule.apiGroups);
  const isNamespace = memberOf(rule.namespaces);
  const clusterScope = rule.clusterScope ?? false;
  return ({ verb, resource, subresource, apiGroup, namespace }) =>
    isVerb(verb) &&
    isResource(subresource === '' ? resource : `${resource}/${subresource}`) &&
    isGroup(apiGroup) &&
    (namespace === '' ? clusterScope : isNamespace(namespace));
}

function nonResourceMatcher({ verbs, nonResourceURLs }: NonResourcePolicyRule): (info: RequestInfo) => boolean {
  const isVerb = memberOf(verbs);
  const isPath = anyOf((nonResourceURLs ?? []).map(pathMatcher));
  return ({ verb, path }) => isVerb(verb) && isPath(path);
}

function pathMatcher(rule: string): (path: string) => boolean {
  if (rule === '*') return () => true;
  const stem = rule.endsWith('*') ? rule.slice(0, -1) : rule;
  const prefix = stem.endsWith('/') ? stem : `${stem}/`;
  return (path) => path === rule || path.startsWith(prefix);
}

/** `*` counts only alone, which validation ensures. */
function memberOf(list: readonly string[] | null | undefined): (value: string) => boolean {
  if (list?.length === 1 && list[0] === '*') return () => true;
  const values = new Set(list);
  return (value) => values.has(value);
}
