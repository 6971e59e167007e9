import { FieldPath } from '@apiserver/apimachinery/field';

/** The annotation that preceded the field of the storage class. Upstream: BetaStorageClassAnnotation */
export const STORAGE_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly storageClassName?: string };
}

/**
 * The storage class of a volume or claim; "" for none.
 * Upstream: GetPersistentVolumeClass and GetPersistentVolumeClaimClass
 */
export function storageClassOf({ metadata, spec }: Annotated): string {
  return metadata.annotations?.[STORAGE_CLASS_ANNOTATION] ?? spec.storageClassName ?? '';
}

/** A warning if the annotation is set. */
export function storageClassWarnings({ metadata }: Annotated): readonly string[] {
  if (metadata.annotations?.[STORAGE_CLASS_ANNOTATION] === undefined) return [];
  const path = FieldPath.of('metadata', 'annotations').key(STORAGE_CLASS_ANNOTATION);
  return [`${path}: deprecated since v1.8; use "storageClassName" attribute instead`];
}
