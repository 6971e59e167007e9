import type { RoleRef } from '@apiserver/api/rbac/v1';
import {
  type FieldError,
  FieldPath,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { validatePathSegmentName } from '@apiserver/apimachinery/validation';
import { RBAC_GROUP } from '../rbac-group.js';

const ROLE_REF = FieldPath.of('roleRef');

/** Validates the role of a binding; `kinds` are allowed. Upstream: ValidateRoleBinding of pkg/apis/rbac/validation */
export function validateRoleRef({ apiGroup = '', kind, name }: RoleRef, kinds: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  if (apiGroup !== RBAC_GROUP) errors.push(fieldNotSupported(ROLE_REF.child('apiGroup'), apiGroup, [RBAC_GROUP]));
  if (!kinds.includes(kind)) errors.push(fieldNotSupported(ROLE_REF.child('kind'), kind, kinds));
  if (name === '') return [...errors, fieldRequired(ROLE_REF.child('name'), '')];
  return [
    ...errors,
    ...validatePathSegmentName(name).map((fault) => fieldInvalid(ROLE_REF.child('name'), name, fault)),
  ];
}

/** The role of a binding is immutable. */
export function validateRoleRefUnchanged(roleRef: RoleRef, old: RoleRef): FieldError[] {
  if (equalJson(roleRef, old)) return [];
  // Formatted as upstream's internal type, whose fields have Go's names.
  const printed = { APIGroup: roleRef.apiGroup ?? '', Kind: roleRef.kind, Name: roleRef.name };
  return [fieldInvalid(ROLE_REF, printed, 'cannot change roleRef')];
}
