import type { PersistentVolumeClaim } from '@apiserver/api/core/v1';

const ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/**
 * The storage class of a claim; "" if it has none. The annotation takes precedence over the field.
 * Upstream: GetPersistentVolumeClaimClass of k8s.io/component-helpers/storage/volume/helpers.go
 */
export function claimStorageClass({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[ANNOTATION] ?? spec.storageClassName ?? '';
}
