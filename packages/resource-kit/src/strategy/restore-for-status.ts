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
 * Restores the stored spec and metadata on an update of the status, except for fields of the metadata that the status
 * endpoint may change. Mutates `object`.
 * Upstream: ResetObjectMetaForStatus of k8s.io/apimachinery/pkg/apis/meta/v1/meta.go
 */
export function restoreForStatus<T extends KubeObject & { spec: unknown }>(object: T, old: T): void {
  object.spec = cloneJson(old.spec);
  const metadata: Partial<Record<keyof ObjectMeta, unknown>> = object.metadata;
  for (const field of KEPT) {
    if (old.metadata[field] === undefined) delete metadata[field];
    else metadata[field] = cloneJson(old.metadata[field]);
  }
}
