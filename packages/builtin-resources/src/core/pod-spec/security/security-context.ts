import { SecurityContext } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldInvalid, printedAsJson } from '@apiserver/apimachinery/field';
import { goForm } from '../../../text/go-form.js';
import { validateEnum } from '../../../validation/enum-field.js';
import { validateAppArmorProfile } from './app-armor-profile.js';
import { validatePrivileged } from './privileged.js';
import { validateSeccompProfile } from './seccomp-profile.js';
import { validateUserId } from './user-id.js';
import { validateWindowsOptions } from './windows-options.js';

const PROC_MOUNTS = ['Default', 'Unmasked'];

/**
 * Validates the security context of a container.
 * Upstream: ValidateSecurityContext of pkg/apis/core/validation/validation.go
 */
export function validateSecurityContext(
  context: SecurityContext | undefined,
  hostUsers: boolean,
  path: FieldPath,
): FieldError[] {
  if (context === undefined) return [];
  const { runAsUser, runAsGroup, procMount, seccompProfile, windowsOptions, appArmorProfile } = context;
  return [
    ...validatePrivileged(context.privileged, path.child('privileged')),
    ...validateUserId(runAsUser, path.child('runAsUser')),
    ...validateUserId(runAsGroup, path.child('runAsGroup')),
    ...(procMount === undefined ? [] : validateProcMount(procMount, hostUsers, path.child('procMount'))),
    ...validateSeccompProfile(seccompProfile, path.child('seccompProfile')),
    ...validatePrivilegeEscalation(context, path),
    ...validateWindowsOptions(windowsOptions, path.child('windowsOptions')),
    ...validateAppArmorProfile(appArmorProfile, path.child('appArmorProfile')),
  ];
}

function validateProcMount(procMount: string, hostUsers: boolean, path: FieldPath): FieldError[] {
  const errors = validateEnum(procMount, PROC_MOUNTS, path);
  if (hostUsers && procMount === 'Unmasked') {
    errors.push(fieldInvalid(path, printedAsJson(procMount), '`hostUsers` must be false to use `Unmasked`'));
  }
  return errors;
}

/** A container without privilege escalation must not be privileged. */
function validatePrivilegeEscalation(context: SecurityContext, path: FieldPath): FieldError[] {
  if (context.allowPrivilegeEscalation !== false) return [];
  const errors: FieldError[] = [];
  if (context.privileged) {
    const message = 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true';
    errors.push(fieldInvalid(path, goForm(SecurityContext, context), message));
  }
  for (const capability of context.capabilities?.add ?? []) {
    if (capability !== 'CAP_SYS_ADMIN') continue;
    const message = 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN';
    errors.push(fieldInvalid(path, goForm(SecurityContext, context), message));
  }
  return errors;
}
