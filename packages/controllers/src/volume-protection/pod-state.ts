import type { Pod } from '@apiserver/api/core/v1';

/**
 * The kubelet is done with it, or it was deleted by force; its own finalizers may still keep it.
 * Upstream: podIsShutDown
 */
export function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}
