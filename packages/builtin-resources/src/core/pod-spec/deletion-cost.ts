import { parseInt64 } from '@apiserver/apimachinery/values';

/** By this annotation a pod says how gladly its ReplicaSet should delete it. */
export const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/**
 * Whether a text is a cost: a 32-bit integer without a plus sign and without leading zeros.
 * Upstream: GetDeletionCostFromPodAnnotations of pkg/apis/core/helper/helpers.go
 */
export function isDeletionCost(text: string): boolean {
  if (!/^(0|-?[1-9][0-9]*)$/.test(text)) return false;
  const value = parseInt64(text);
  return value !== undefined && value >= -(2n ** 31n) && value < 2n ** 31n;
}
