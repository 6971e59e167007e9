import type { ClusterRoleBinding } from '@apiserver/api/rbac/v1';
import { type FieldError, FieldPath } from '@apiserver/apimachinery/field';
import { validatePathSegmentName } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateRoleRef, validateRoleRefUnchanged } from '../validation/role-ref.js';
import { validateSubject } from '../validation/subject.js';

const SUBJECTS = FieldPath.of('subjects');
/** Kinds of roles that this kind of binding can refer to. */
const ROLE_KINDS = ['ClusterRole'];

/** Upstream: ValidateClusterRoleBinding of pkg/apis/rbac/validation/validation.go */
export function validateClusterRoleBinding(binding: ClusterRoleBinding): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(binding.metadata, { namespaced: false, validateName: validatePathSegmentName }),
    ...validateRoleRef(binding.roleRef, ROLE_KINDS),
    ...(binding.subjects ?? []).flatMap((subject, i) => validateSubject(subject, false, SUBJECTS.index(i))),
  ];
}

/** Upstream: ValidateClusterRoleBindingUpdate */
export function validateClusterRoleBindingUpdate(
  binding: ClusterRoleBinding,
  old: ClusterRoleBinding,
): readonly FieldError[] {
  return [
    ...validateClusterRoleBinding(binding),
    ...validateBuiltInObjectMetaUpdate(binding.metadata, old.metadata),
    ...validateRoleRefUnchanged(binding.roleRef, old.roleRef),
  ];
}
