import { type FieldError, type FieldPath, fieldForbidden } from '@apiserver/apimachinery/field';

const REFUSAL = 'disallowed by cluster policy';
const HOST_PROCESS_REFUSAL = 'hostProcess containers are disallowed by cluster policy';

/**
 * Refuses privileged containers, unless the server's policy reverts this (see `withContainerPolicy`).
 * Upstream: the use of capabilities.Get().AllowPrivileged in ValidateSecurityContext of
 * pkg/apis/core/validation/validation.go
 */
export function validatePrivileged(privileged: boolean | undefined, path: FieldPath): FieldError[] {
  return privileged ? [fieldForbidden(path, REFUSAL)] : [];
}

/**
 * Refuses host process containers of Windows in the same way; `path` is the spec's.
 * Upstream: validateWindowsHostProcessPod
 */
export function refuseHostProcess(path: FieldPath): FieldError[] {
  return [fieldForbidden(path, HOST_PROCESS_REFUSAL)];
}

/** Reports whether an error refuses privileged or host process containers. */
export function isPrivilegedRefusal({ type, field, detail }: FieldError): boolean {
  if (type !== 'FieldValueForbidden') return false;
  return detail === HOST_PROCESS_REFUSAL || (detail === REFUSAL && field.endsWith('.securityContext.privileged'));
}
