import type { PodSpec, Sysctl } from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { byteLength } from '@apiserver/apimachinery/validation';
import { validateEnum } from '../../../validation/enum-field.js';
import type { PodSpecRules } from '../pod-spec-rules.js';
import { validateAppArmorProfile } from './app-armor-profile.js';
import { validateSeccompProfile } from './seccomp-profile.js';
import { sysctlNamespace } from './sysctl-namespace.js';
import { validateUserId } from './user-id.js';
import { validateWindowsOptions } from './windows-options.js';

const FS_GROUP_CHANGE_POLICIES = ['Always', 'OnRootMismatch'];
const SUPPLEMENTAL_GROUPS_POLICIES = ['Merge', 'Strict'];
const SE_LINUX_CHANGE_POLICIES = ['MountOption', 'Recursive'];
const RECURSIVE_CHANGE = ['Recursive'];

/** Upstream: validatePodSpecSecurityContext of pkg/apis/core/validation/validation.go */
export function validatePodSecurityContext(spec: PodSpec, rules: PodSpecRules, path: FieldPath): FieldError[] {
  const context = spec.securityContext;
  if (context === undefined) return [];
  const optionalEnum = (field: 'fsGroupChangePolicy' | 'supplementalGroupsPolicy' | 'seLinuxChangePolicy') => {
    const supported = {
      fsGroupChangePolicy: FS_GROUP_CHANGE_POLICIES,
      supplementalGroupsPolicy: SUPPLEMENTAL_GROUPS_POLICIES,
      seLinuxChangePolicy: rules.onlyRecursiveSELinuxChange ? RECURSIVE_CHANGE : SE_LINUX_CHANGE_POLICIES,
    }[field];
    const value = context[field];
    return value === undefined ? [] : validateEnum(value, supported, path.child(field));
  };
  return [
    ...validateUserId(context.fsGroup, path.child('fsGroup')),
    ...validateUserId(context.runAsUser, path.child('runAsUser')),
    ...validateUserId(context.runAsGroup, path.child('runAsGroup')),
    ...(context.supplementalGroups ?? []).flatMap((id, i) =>
      validateUserId(id, path.child('supplementalGroups').index(i)),
    ),
    ...validateProcessNamespace(spec, path.child('shareProcessNamespace')),
    ...validateSysctls(spec, rules, path.child('sysctls')),
    ...optionalEnum('fsGroupChangePolicy'),
    ...validateSeccompProfile(context.seccompProfile, path.child('seccompProfile')),
    ...validateWindowsOptions(context.windowsOptions, path.child('windowsOptions')),
    ...validateAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile')),
    ...optionalEnum('supplementalGroupsPolicy'),
    ...optionalEnum('seLinuxChangePolicy'),
  ];
}

/** The path is below the security context, as upstream, although the field is in the spec. */
function validateProcessNamespace({ shareProcessNamespace, hostPID }: PodSpec, path: FieldPath): FieldError[] {
  if (!shareProcessNamespace || !hostPID) return [];
  return [fieldInvalid(path, true, 'ShareProcessNamespace and HostPID cannot both be enabled')];
}

const SYSCTL_SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SYSCTL_PATTERN = `^(${SYSCTL_SEGMENT}[\\./])*${SYSCTL_SEGMENT}$`;
const MAX_SYSCTL_LENGTH = 253;

/** Upstream: validateSysctls */
function validateSysctls(spec: PodSpec, rules: PodSpecRules, path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return (spec.securityContext?.sysctls ?? []).flatMap(({ name }: Sysctl, i) => {
    const place = path.index(i).child('name');
    const errors = validateSysctlName(name, seen, place);
    seen.add(name);
    if (rules.allowNamespacedSysctlsInHostNamespaces) return errors;
    return [...errors, ...validateHostSysctl(name, spec, place)];
  });
}

function validateSysctlName(name: string, seen: ReadonlySet<string>, path: FieldPath): FieldError[] {
  if (!name) return [fieldRequired(path, '')];
  if (byteLength(name) > MAX_SYSCTL_LENGTH || !new RegExp(SYSCTL_PATTERN).test(name)) {
    const message = `must have at most ${MAX_SYSCTL_LENGTH} characters and match regex ${SYSCTL_PATTERN}`;
    return [fieldInvalid(path, name, message)];
  }
  return seen.has(name) ? [fieldDuplicate(path, name)] : [];
}

/** A sysctl of a namespace shared with the host would change the host. Upstream: ValidateHostSysctl */
function validateHostSysctl(name: string, { hostNetwork, hostIPC }: PodSpec, path: FieldPath): FieldError[] {
  const namespace = sysctlNamespace(name);
  if (hostNetwork && namespace === 'net') {
    return [fieldInvalid(path, name, "may not be specified when 'hostNetwork' is true")];
  }
  if (hostIPC && namespace === 'ipc') return [fieldInvalid(path, name, "may not be specified when 'hostIPC' is true")];
  return [];
}
