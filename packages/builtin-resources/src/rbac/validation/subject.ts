import type { Subject } from '@apiserver/api/rbac/v1';
import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { validateServiceAccountName } from '@apiserver/apimachinery/validation';
import { RBAC_GROUP } from '../rbac-group.js';

/**
 * Validates a subject. A service account in a ClusterRoleBinding requires a namespace.
 * Upstream: ValidateRoleBindingSubject of pkg/apis/rbac/validation/validation.go
 */
export function validateSubject(subject: Subject, namespaced: boolean, path: FieldPath): FieldError[] {
  const missing = subject.name === '' ? [fieldRequired(path.child('name'), '')] : [];
  switch (subject.kind) {
    case 'ServiceAccount':
      return [...missing, ...validateServiceAccount(subject, namespaced, path)];
    case 'User':
    case 'Group':
      return [...missing, ...validateGroupOf(subject, path)];
    default:
      return [...missing, fieldNotSupported(path.child('kind'), subject.kind, ['ServiceAccount', 'User', 'Group'])];
  }
}

function validateServiceAccount(subject: Subject, namespaced: boolean, path: FieldPath): FieldError[] {
  const { name, apiGroup = '', namespace = '' } = subject;
  const faults = name === '' ? [] : validateServiceAccountName(name);
  const errors = faults.map((fault) => fieldInvalid(path.child('name'), name, fault));
  if (apiGroup !== '') errors.push(fieldNotSupported(path.child('apiGroup'), apiGroup, ['']));
  if (!namespaced && namespace === '') errors.push(fieldRequired(path.child('namespace'), ''));
  return errors;
}

/** Users and groups belong to the RBAC group. */
function validateGroupOf({ apiGroup = '' }: Subject, path: FieldPath): FieldError[] {
  return apiGroup === RBAC_GROUP ? [] : [fieldNotSupported(path.child('apiGroup'), apiGroup, [RBAC_GROUP])];
}
