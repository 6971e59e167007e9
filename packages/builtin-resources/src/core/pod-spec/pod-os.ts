import type { PodSpec } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldForbidden, fieldRequired } from '@apiserver/apimachinery/field';
import { validateEnum } from '../../validation/enum-field.js';
import { containersWithPath } from './visit-containers.js';

const OPERATING_SYSTEMS = ['linux', 'windows'];
const NOT_FOR_WINDOWS = 'cannot be set for a windows pod';

/** Fields forbidden for the pod's operating system. Upstream: validateOS, validateLinux and validateWindows */
export function validatePodOS(spec: PodSpec, path: FieldPath): FieldError[] {
  if (spec.os === undefined) return [];
  const osPath = path.child('os');
  if (!spec.os.name) return [fieldRequired(osPath.child('name'), '')];
  const errors = validateEnum(spec.os.name, OPERATING_SYSTEMS, osPath);
  if (errors.length > 0) return errors;
  return spec.os.name === 'linux' ? forbidForLinux(spec, path) : forbidForWindows(spec, path);
}

function forbidForLinux(spec: PodSpec, path: FieldPath): FieldError[] {
  const places = [...containersWithPath(spec, path)]
    .filter(([{ securityContext }]) => securityContext?.windowsOptions !== undefined)
    .map(([, place]) => place);
  if (spec.securityContext?.windowsOptions !== undefined) places.unshift(path);
  return places.map((place) =>
    fieldForbidden(place.child('securityContext', 'windowsOptions'), 'windows options cannot be set for a linux pod'),
  );
}

/** In upstream's order: fields of the spec and of its security context. */
const POD_FIELDS = [
  'securityContext.appArmorProfile',
  'securityContext.seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'securityContext.seccompProfile',
  'securityContext.fsGroup',
  'securityContext.fsGroupChangePolicy',
  'securityContext.sysctls',
  'shareProcessNamespace',
  'securityContext.runAsUser',
  'securityContext.runAsGroup',
  'securityContext.supplementalGroups',
  'securityContext.supplementalGroupsPolicy',
  'securityContext.seLinuxChangePolicy',
];

const CONTAINER_FIELDS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

function forbidForWindows(spec: PodSpec, path: FieldPath): FieldError[] {
  const { securityContext } = spec;
  const ofPod = POD_FIELDS.filter((field) => {
    const [name = '', below] = field.split('.');
    if (below === 'sysctls') return (securityContext?.sysctls ?? []).length > 0;
    if (below !== undefined) return isSet(securityContext, below);
    // hostPID and hostIPC count if they are true, the others if they are set.
    return isSet(spec, name) && !(name.startsWith('hostP') && !spec.hostPID) && !(name === 'hostIPC' && !spec.hostIPC);
  });
  const errors = ofPod.map((field) => fieldForbidden(path.child(...splitField(field)), NOT_FOR_WINDOWS));
  for (const [container, place] of containersWithPath(spec, path)) {
    const set = CONTAINER_FIELDS.filter((field) => isSet(container.securityContext, field));
    errors.push(...set.map((field) => fieldForbidden(place.child('securityContext', field), NOT_FOR_WINDOWS)));
  }
  return errors;
}

function splitField(field: string): [string, ...string[]] {
  const [first = '', ...rest] = field.split('.');
  return [first, ...rest];
}

function isSet(object: object | undefined, field: string): boolean {
  return object !== undefined && Reflect.get(object, field) !== undefined;
}
