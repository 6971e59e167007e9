import type { PersistentVolume, PersistentVolumeSource } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldForbidden } from '@apiserver/apimachinery/field';

/** The annotation that preceded the field of the mount options. Upstream: MountOptionAnnotation */
const MOUNT_OPTIONS_ANNOTATION = 'volume.beta.kubernetes.io/mount-options';

/** Volumes that may have the annotation. */
const MOUNTED_WITH_OPTIONS: readonly (keyof PersistentVolumeSource)[] = [
  ...(['gcePersistentDisk', 'awsElasticBlockStore', 'glusterfs', 'nfs', 'rbd', 'quobyte', 'iscsi'] as const),
  ...(['cinder', 'cephfs', 'azureFile', 'vsphereVolume', 'azureDisk', 'photonPersistentDisk'] as const),
];

/** Upstream: ValidatePersistentVolume of pkg/volume/validation/pv_validation.go */
export function validateMountOptionsAnnotation(volume: PersistentVolume): readonly FieldError[] {
  if (!isAnnotated(volume) || MOUNTED_WITH_OPTIONS.some((source) => volume.spec[source] !== undefined)) return [];
  const path = FieldPath.of('metadata', 'annotations', MOUNT_OPTIONS_ANNOTATION);
  return [fieldForbidden(path, 'may not specify mount options for this volume type')];
}

/** A warning if the annotation is set. */
export function mountOptionsWarnings(volume: PersistentVolume): readonly string[] {
  if (!isAnnotated(volume)) return [];
  const path = FieldPath.of('metadata', 'annotations').key(MOUNT_OPTIONS_ANNOTATION);
  return [`${path}: deprecated since v1.31; use "mountOptions" attribute instead`];
}

function isAnnotated({ metadata }: PersistentVolume): boolean {
  return metadata.annotations?.[MOUNT_OPTIONS_ANNOTATION] !== undefined;
}
