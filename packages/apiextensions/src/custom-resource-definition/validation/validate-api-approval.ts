import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { type FieldError, FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { API_APPROVED_ANNOTATION, apiApprovalOf, isProtectedGroup } from '../api-approval.js';

/**
 * An API in a community group requires an approval; a definition stored without one stays valid.
 *
 * Upstream: validateAPIApproval of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation
 */
export function validateApiApproval(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): FieldError[] {
  if (!isProtectedGroup(definition.spec.group)) return [];
  const { state, reason } = apiApprovalOf(definition);
  if (old !== undefined && apiApprovalOf(old).state === state) return [];
  const at = FieldPath.of('metadata', 'annotations').key(API_APPROVED_ANNOTATION);
  if (state === 'Missing') return [fieldRequired(at, reason)];
  const annotation = definition.metadata.annotations?.[API_APPROVED_ANNOTATION] ?? '';
  return state === 'Invalid' ? [fieldInvalid(at, annotation, reason)] : [];
}
