import type { RuleWithOperations } from '@apiserver/api/admissionregistration/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { validateEnum } from '../../validation/enum-field.js';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

/** Upstream: validateRuleWithOperations of pkg/apis/admissionregistration/validation/validation.go */
export function validateRule(rule: RuleWithOperations, path: FieldPath): FieldError[] {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  const versions = path.child('apiVersions');
  return [
    ...validateWildcard(operations, 'operations', path.child('operations')),
    ...operations.flatMap((operation, i) => validateEnum(operation, OPERATIONS, path.child('operations').index(i))),
    ...validateWildcard(apiGroups, 'API groups', path.child('apiGroups')),
    ...validateWildcard(apiVersions, 'API versions', versions),
    ...apiVersions.flatMap((version, i) => (version === '' ? [fieldRequired(versions.index(i), '')] : [])),
    ...validateResources(resources, path.child('resources')),
    ...(scope === undefined ? [] : validateEnum(scope, SCOPES, path.child('scope'))),
  ];
}

function validateWildcard(values: readonly string[], what: string, path: FieldPath): FieldError[] {
  if (values.length === 0) return [fieldRequired(path, '')];
  if (values.length === 1 || !values.includes('*')) return [];
  return [fieldInvalid(path, values, `if '*' is present, must not specify other ${what}`)];
}

/**
 * A resource, a subresource, or a wildcard. A wildcard applies to the texts after it only. Upstream: validateResources
 */
function validateResources(resources: readonly string[], path: FieldPath): FieldError[] {
  if (resources.length === 0) return [fieldRequired(path, '')];
  const errors: FieldError[] = [];
  const allOfResource = new Set<string>();
  const allOfSubresource = new Set<string>();
  resources.forEach((text, i) => {
    if (text === '') errors.push(fieldRequired(path.index(i), ''));
    const [resource = '', subresource] = splitOnce(text);
    if (subresource === undefined) return;
    for (const all of [
      ...(allOfResource.has(resource) ? [`${resource}/*`] : []),
      ...(allOfSubresource.has(subresource) ? [`*/${subresource}`] : []),
    ]) {
      errors.push(fieldInvalid(path.index(i), text, `if '${all}' is present, must not specify ${text}`));
    }
    if (subresource === '*') allOfResource.add(resource);
    if (resource === '*') allOfSubresource.add(subresource);
  });
  return [...errors, ...validateWildcardResources(resources, path)];
}

function validateWildcardResources(resources: readonly string[], path: FieldPath): FieldError[] {
  const everything = resources.length > 1 && resources.includes('*/*');
  // Upstream looks at the last resource without a subresource only.
  const last = resources.findLast((text) => text !== '' && !text.includes('/'));
  const allResources = resources.includes('*') && last !== '*';
  return [
    ...(everything ? [fieldInvalid(path, resources, "if '*/*' is present, must not specify other resources")] : []),
    ...(allResources
      ? [fieldInvalid(path, resources, "if '*' is present, must not specify other resources without subresources")]
      : []),
  ];
}

function splitOnce(text: string): readonly [string, string?] {
  const slash = text.indexOf('/');
  return slash < 0 ? [text] : [text.slice(0, slash), text.slice(slash + 1)];
}
