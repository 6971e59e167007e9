import type { Role } from '@apiserver/api/rbac/v1';
import { type FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { validatePathSegmentName } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validatePolicyRule } from '../validation/policy-rule.js';

const RULES = FieldPath.of('rules');

/** Upstream: ValidateRole of pkg/apis/rbac/validation/validation.go */
export function validateRole(role: Role): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(role.metadata, { namespaced: true, validateName: validatePathSegmentName }),
    ...(role.rules ?? []).flatMap((rule, i) => validatePolicyRule(rule, true, RULES.index(i))),
  ];
}

/** Upstream: ValidateRoleUpdate */
export function validateRoleUpdate(role: Role, old: Role): readonly FieldError[] {
  return [...validateRole(role), ...validateBuiltInObjectMetaUpdate(role.metadata, old.metadata)];
}
