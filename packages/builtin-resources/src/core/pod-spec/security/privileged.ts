import { type FieldError, type FieldPath, fieldForbidden } from '@apiserver/apimachinery/field';

const REFUSAL = 'disallowed by cluster policy';

/**
 * Refuses privileged containers, unless the server's policy reverts this (see `withContainerPolicy`).
 * Upstream: the use of capabilities.Get().AllowPrivileged in ValidateSecurityContext of
 * pkg/apis/core/validation/validation.go
 */
export function validatePrivileged(privileged: boolean | undefined, path: FieldPath): FieldError[] {
  return privileged ? [fieldForbidden(path, REFUSAL)] : [];
}

/** Reports whether an error refuses a privileged container. */
export function isPrivilegedRefusal({ type, field, detail }: FieldError): boolean {
  return type === 'FieldValueForbidden' && detail === REFUSAL && field.endsWith('.securityContext.privileged');
}
