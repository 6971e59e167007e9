import { FieldPath } from '@apiserver/apimachinery/field';
import { STORAGE_CLASS_ANNOTATION } from '@apiserver/resource-kit';

/** A warning if an object has the annotation of its storage class. */
export function storageClassWarnings({
  metadata,
}: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
}): readonly string[] {
  if (metadata.annotations?.[STORAGE_CLASS_ANNOTATION] === undefined) return [];
  const path = FieldPath.of('metadata', 'annotations').key(STORAGE_CLASS_ANNOTATION);
  return [`${path}: deprecated since v1.8; use "storageClassName" attribute instead`];
}
