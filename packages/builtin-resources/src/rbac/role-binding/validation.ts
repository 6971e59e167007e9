import type { RoleBinding } from '@apiserver/api/rbac/v1';
import { type FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { validatePathSegmentName } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateRoleRef, validateRoleRefUnchanged } from '../validation/role-ref.js';
import { validateSubject } from '../validation/subject.js';

const SUBJECTS = FieldPath.of('subjects');
/** Kinds of roles that this kind of binding can refer to. */
const ROLE_KINDS = ['Role', 'ClusterRole'];

/** Upstream: ValidateRoleBinding of pkg/apis/rbac/validation/validation.go */
export function validateRoleBinding(binding: RoleBinding): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(binding.metadata, { namespaced: true, validateName: validatePathSegmentName }),
    ...validateRoleRef(binding.roleRef, ROLE_KINDS),
    ...(binding.subjects ?? []).flatMap((subject, i) => validateSubject(subject, true, SUBJECTS.index(i))),
  ];
}

/** Upstream: ValidateRoleBindingUpdate */
export function validateRoleBindingUpdate(binding: RoleBinding, old: RoleBinding): readonly FieldError[] {
  return [
    ...validateRoleBinding(binding),
    ...validateBuiltInObjectMetaUpdate(binding.metadata, old.metadata),
    ...validateRoleRefUnchanged(binding.roleRef, old.roleRef),
  ];
}
