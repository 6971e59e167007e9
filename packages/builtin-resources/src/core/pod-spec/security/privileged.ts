import { type FieldError, type FieldPath, fieldForbidden } from '@apiserver/apimachinery/field';

const REFUSAL = 'disallowed by cluster policy';

/**
 * No container is privileged, unless a server takes this back (see `withPrivilegedAllowed`).
 * Upstream: the use of capabilities.Get().AllowPrivileged in ValidateSecurityContext of pkg/apis/core/validation/validation.go
 */
export function validatePrivileged(privileged: boolean | undefined, path: FieldPath): FieldError[] {
  return privileged ? [fieldForbidden(path, REFUSAL)] : [];
}

/** Whether an error is that of a privileged container. */
export function isPrivilegedRefusal({ type, field, detail }: FieldError): boolean {
  return type === 'FieldValueForbidden' && detail === REFUSAL && field.endsWith('.securityContext.privileged');
}
