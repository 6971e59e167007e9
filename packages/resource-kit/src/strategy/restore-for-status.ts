import type { KubeObject, ObjectMeta } from '@apiserver/apimachinery';
import { cloneJson } from '@apiserver/apimachinery/json';

const KEPT = [
  'deletionTimestamp',
  'generation',
  'selfLink',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
] as const satisfies readonly (keyof ObjectMeta)[];

/**
 * Restores the stored metadata on an update of the status, except for fields that the status endpoint may change.
 * Mutates `object`.
 * Upstream: ResetObjectMetaForStatus of k8s.io/apimachinery/pkg/apis/meta/v1/meta.go
 */
export function resetMetadataForStatus(object: KubeObject, old: KubeObject): void {
  const metadata: Partial<Record<keyof ObjectMeta, unknown>> = object.metadata;
  for (const field of KEPT) {
    if (old.metadata[field] === undefined) delete metadata[field];
    else metadata[field] = cloneJson(old.metadata[field]);
  }
}
