import type { PolicyRule } from '@apiserver/api/rbac/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';

/**
 * Validates a rule: verbs, and either resources or URLs. Namespaced roles cannot have URLs.
 * Upstream: ValidatePolicyRule of pkg/apis/rbac/validation/validation.go
 */
export function validatePolicyRule(rule: PolicyRule, namespaced: boolean, path: FieldPath): FieldError[] {
  const { verbs, nonResourceURLs = [] } = rule;
  const errors: FieldError[] = [];
  if ((verbs ?? []).length === 0) {
    errors.push(fieldRequired(path.child('verbs'), 'verbs must contain at least one value'));
  }
  return [
    ...errors,
    ...(nonResourceURLs.length > 0 ? validateUrlRule(rule, namespaced, path) : validateResourceRule(rule, path)),
  ];
}

function validateUrlRule(rule: PolicyRule, namespaced: boolean, path: FieldPath): FieldError[] {
  const { nonResourceURLs, apiGroups = [], resources = [], resourceNames = [] } = rule;
  const place = path.child('nonResourceURLs');
  const errors: FieldError[] = [];
  if (namespaced) {
    errors.push(fieldInvalid(place, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'));
  }
  if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
    const fault = 'rules cannot apply to both regular resources and non-resource URLs';
    errors.push(fieldInvalid(place, nonResourceURLs, fault));
  }
  return errors;
}

function validateResourceRule({ apiGroups = [], resources = [] }: PolicyRule, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (apiGroups.length === 0) {
    errors.push(fieldRequired(path.child('apiGroups'), 'resource rules must supply at least one api group'));
  }
  if (resources.length === 0) {
    errors.push(fieldRequired(path.child('resources'), 'resource rules must supply at least one resource'));
  }
  return errors;
}
