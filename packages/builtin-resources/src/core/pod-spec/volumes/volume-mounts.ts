import type { Container, Volume, VolumeDevice, VolumeMount } from '@apiserver/api/core/v1';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
} from '@apiserver/apimachinery/field';
import { validateEnum } from '../../../validation/enum-field.js';
import { validateLocalDescendingPath, validatePathNoBacksteps } from '../../validation/local-path.js';
import { validateRequired } from '../../validation/required-field.js';

type Mounting = Pick<Container, 'volumeMounts' | 'volumeDevices' | 'securityContext'>;
type Volumes = ReadonlyMap<string, Volume>;

const MOUNT_PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE_READ_ONLY = ['Disabled', 'Enabled', 'IfPossible'];

/** Upstream: ValidateVolumeMounts of pkg/apis/core/validation/validation.go */
export function validateVolumeMounts(container: Mounting, volumes: Volumes, path: FieldPath): FieldError[] {
  const devices = byName(container.volumeDevices ?? [], ({ devicePath }) => devicePath);
  const mountPaths = new Set<string>();
  return (container.volumeMounts ?? []).flatMap((mount, i) => {
    const repeated = mountPaths.has(mount.mountPath);
    mountPaths.add(mount.mountPath);
    return [
      ...validateMountPlace(mount, { volumes, devices, repeated }, path.index(i)),
      ...validateSubPaths(mount, path, path.index(i)),
      ...validatePropagation(mount, container, path.child('mountPropagation')),
      ...validateRecursiveReadOnly(mount, path.child('recursiveReadOnly')),
    ];
  });
}

interface MountPlace {
  readonly volumes: Volumes;
  readonly devices: ReadonlyMap<string, string>;
  /** True if an earlier mount has the same path. */
  readonly repeated: boolean;
}

function validateMountPlace(
  { name, mountPath }: VolumeMount,
  { volumes, devices, repeated }: MountPlace,
  path: FieldPath,
): FieldError[] {
  const [namePath, placePath] = [path.child('name'), path.child('mountPath')];
  const errors = validateRequired(name, namePath);
  if (!volumes.has(name)) errors.push(fieldNotFound(namePath, name));
  errors.push(...validateRequired(mountPath, placePath));
  if (repeated) errors.push(fieldInvalid(placePath, mountPath, 'must be unique'));
  if (devices.has(name)) errors.push(fieldInvalid(namePath, name, 'must not already exist in volumeDevices'));
  if ([...devices.values()].includes(mountPath)) {
    errors.push(fieldInvalid(placePath, mountPath, 'must not already exist as a path in volumeDevices'));
  }
  return errors;
}

/** Faults of the paths have the path of the list, as upstream. */
function validateSubPaths({ subPath, subPathExpr }: VolumeMount, listPath: FieldPath, path: FieldPath): FieldError[] {
  const errors = subPath ? validateLocalDescendingPath(subPath, listPath.child('subPath')) : [];
  if (!subPathExpr) return errors;
  if (subPath) {
    const message = 'subPathExpr and subPath are mutually exclusive';
    errors.push(fieldInvalid(path.child('subPathExpr'), subPathExpr, message));
  }
  return [...errors, ...validateLocalDescendingPath(subPathExpr, listPath.child('subPathExpr'))];
}

function validatePropagation(
  { mountPropagation }: VolumeMount,
  { securityContext }: Mounting,
  path: FieldPath,
): FieldError[] {
  if (mountPropagation === undefined) return [];
  const errors = validateEnum(mountPropagation, MOUNT_PROPAGATIONS, path);
  if (mountPropagation === 'Bidirectional' && !securityContext?.privileged) {
    const message = 'Bidirectional mount propagation is available only to privileged containers';
    errors.push(fieldForbidden(path, message));
  }
  return errors;
}

function validateRecursiveReadOnly(mount: VolumeMount, path: FieldPath): FieldError[] {
  const { recursiveReadOnly, readOnly, mountPropagation } = mount;
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return [];
  const errors = validateEnum(recursiveReadOnly, RECURSIVE_READ_ONLY, path);
  if (errors.length > 0) return errors;
  if (!readOnly) errors.push(fieldForbidden(path, 'may only be specified when readOnly is true'));
  if (mountPropagation !== undefined && mountPropagation !== 'None') {
    errors.push(fieldForbidden(path, 'may only be specified when mountPropagation is None or not specified'));
  }
  return errors;
}

/** Upstream: ValidateVolumeDevices */
export function validateVolumeDevices(container: Mounting, volumes: Volumes, path: FieldPath): FieldError[] {
  const mounts = byName(container.volumeMounts ?? [], ({ mountPath }) => mountPath);
  const seen = { names: new Set<string>(), paths: new Set<string>() };
  return (container.volumeDevices ?? []).flatMap((device, i) => {
    const errors = [
      ...validateDeviceName(device, { volumes, names: seen.names }, path.index(i).child('name')),
      ...validateDevicePath(device, seen.paths, path.index(i).child('devicePath')),
      ...validateNotMounted(device, mounts, path.index(i)),
    ];
    if (device.name) seen.names.add(device.name);
    if (!hasBacksteps(device, path)) seen.paths.add(device.devicePath);
    return errors;
  });
}

function validateDeviceName(
  { name }: VolumeDevice,
  known: { readonly volumes: Volumes; readonly names: ReadonlySet<string> },
  path: FieldPath,
): FieldError[] {
  const errors = validateRequired(name, path);
  const volume = known.volumes.get(name);
  if (known.names.has(name)) errors.push(fieldInvalid(path, name, 'must be unique'));
  if (volume === undefined) errors.push(fieldNotFound(path, name));
  else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
    const message = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
    errors.push(fieldInvalid(path, name, message));
  }
  return errors;
}

function validateDevicePath(device: VolumeDevice, paths: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const { devicePath } = device;
  const errors = validateRequired(devicePath, path);
  if (paths.has(devicePath)) errors.push(fieldInvalid(path, devicePath, 'must be unique'));
  if (hasBacksteps(device, path)) {
    errors.push(fieldInvalid(path, devicePath, "can not contain backsteps ('..')"));
  }
  return errors;
}

function validateNotMounted(
  { name, devicePath }: VolumeDevice,
  mounts: ReadonlyMap<string, string>,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (mounts.has(name)) errors.push(fieldInvalid(path.child('name'), name, 'must not already exist in volumeMounts'));
  if ([...mounts.values()].includes(devicePath)) {
    const message = 'must not already exist as a path in volumeMounts';
    errors.push(fieldInvalid(path.child('devicePath'), devicePath, message));
  }
  return errors;
}

function hasBacksteps({ devicePath }: VolumeDevice, path: FieldPath): boolean {
  return validatePathNoBacksteps(devicePath, path).length > 0;
}

function byName<T extends { readonly name: string }>(list: readonly T[], place: (item: T) => string) {
  return new Map(list.map((item) => [item.name, place(item)] as const));
}
