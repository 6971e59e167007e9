/** The annotation that preceded the field of the storage class. Upstream: BetaStorageClassAnnotation */
export const STORAGE_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** A PersistentVolume or a PersistentVolumeClaim. */
interface Volume {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly storageClassName?: string };
}

/**
 * The storage class of a volume or claim; "" if it has none. The annotation takes precedence over the field.
 * Upstream: GetPersistentVolumeClass and GetPersistentVolumeClaimClass of
 * k8s.io/component-helpers/storage/volume/helpers.go
 */
export function storageClassOf({ metadata, spec }: Volume): string {
  return metadata.annotations?.[STORAGE_CLASS_ANNOTATION] ?? spec.storageClassName ?? '';
}
