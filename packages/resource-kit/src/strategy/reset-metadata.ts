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
 * Gives an object whose status is written the metadata that is stored: what the status endpoint does not change. Mutates
 * `object`.
 * Upstream: ResetObjectMetaForStatus of k8s.io/apimachinery/pkg/apis/meta/v1/meta.go
 */
export function resetMetadataForStatus(object: KubeObject, old: KubeObject): void {
  const metadata: Partial<Record<keyof ObjectMeta, unknown>> = object.metadata;
  for (const field of KEPT) {
    if (old.metadata[field] === undefined) delete metadata[field];
    else metadata[field] = cloneJson(old.metadata[field]);
  }
}
