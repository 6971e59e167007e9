import type { NonResourcePolicyRule, PolicyRulesWithSubjects, ResourcePolicyRule } from '@apiserver/api/flowcontrol/v1';
import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { validateNamespaceName } from '@apiserver/apimachinery/validation';
import { validateSubject } from './validate-subject.js';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const NAMESPACE_RULE = "each member of this list must be '*' or a DNS-1123 label; ";

/** Upstream: ValidateFlowSchemaPolicyRulesWithSubjects of pkg/apis/flowcontrol/validation/validation.go */
export function validatePolicyRule(rule: PolicyRulesWithSubjects, path: FieldPath): FieldError[] {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = rule.subjects ?? [];
  return [
    ...(subjects.length > 0
      ? subjects.flatMap((subject, i) => validateSubject(subject, path.child('subjects').index(i)))
      : [fieldRequired(path.child('subjects'), 'subjects must contain at least one value')]),
    ...(resourceRules.length + nonResourceRules.length === 0
      ? [fieldRequired(path, 'at least one of resourceRules and nonResourceRules has to be non-empty')]
      : []),
    ...resourceRules.flatMap((inner, i) => validateResourceRule(inner, path.child('resourceRules').index(i))),
    ...nonResourceRules.flatMap((inner, i) => validateNonResourceRule(inner, path.child('nonResourceRules').index(i))),
  ];
}

function validateResourceRule(rule: ResourcePolicyRule, path: FieldPath): FieldError[] {
  return [
    ...validateVerbs(rule.verbs ?? [], path.child('verbs')),
    ...validateNames(rule.apiGroups ?? [], path.child('apiGroups'), 'api group'),
    ...validateNames(rule.resources ?? [], path.child('resources'), 'resource'),
    ...validateNamespaces(rule, path.child('namespaces')),
  ];
}

function validateNonResourceRule(rule: NonResourcePolicyRule, path: FieldPath): FieldError[] {
  return [
    ...validateVerbs(rule.verbs ?? [], path.child('verbs')),
    ...validateUrls(rule.nonResourceURLs ?? [], path.child('nonResourceURLs')),
  ];
}

function validateVerbs(verbs: readonly string[], path: FieldPath): FieldError[] {
  if (verbs.length === 0) return [fieldRequired(path, 'verbs must contain at least one value')];
  if (verbs.includes('*')) return aloneOrNot(verbs, path, 'verbs');
  return verbs.every((verb) => VERBS.includes(verb)) ? [] : [fieldNotSupported(path, verbs, VERBS)];
}

function validateNames(names: readonly string[], path: FieldPath, what: string): FieldError[] {
  if (names.length === 0) return [fieldRequired(path, `resource rules must supply at least one ${what}`)];
  return names.includes('*') ? aloneOrNot(names, path, `${what}s`) : [];
}

function validateNamespaces({ namespaces, clusterScope }: ResourcePolicyRule, path: FieldPath): FieldError[] {
  const names = namespaces ?? [];
  if (names.length === 0 && !clusterScope) {
    const message = 'resource rules that are not cluster scoped must supply at least one namespace';
    return [fieldRequired(path, message)];
  }
  if (names.includes('*')) return aloneOrNot(names, path, 'namespaces');
  return names.flatMap((name, i) =>
    validateNamespaceName(name).map((fault) => fieldInvalid(path.index(i), name, `${NAMESPACE_RULE}${fault}`)),
  );
}

function validateUrls(urls: readonly string[], path: FieldPath): FieldError[] {
  if (urls.length === 0) return [fieldRequired(path, 'nonResourceURLs must contain at least one value')];
  if (urls.includes('*')) return aloneOrNot(urls, path, 'non-resource URLs');
  return urls.flatMap((url, i) => {
    const fault = urlPathFault(url);
    return fault === undefined ? [] : [fieldInvalid(path.index(i), url, fault)];
  });
}

function aloneOrNot(values: readonly string[], path: FieldPath, what: string): FieldError[] {
  return values.length === 1 ? [] : [fieldInvalid(path, values, `if '*' is present, must not specify other ${what}`)];
}

/** Upstream: ValidateNonResourceURLPath */
function urlPathFault(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const wildcard = url.indexOf('*');
  return wildcard < 0 || (wildcard === url.length - 1 && url.endsWith('/*'))
    ? undefined
    : 'wildcard can only do suffix matching';
}
