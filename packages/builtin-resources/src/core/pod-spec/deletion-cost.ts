import { parseInt64 } from '@apiserver/apimachinery/values';

/** The annotation with the cost of deleting a pod, relative to other pods of its ReplicaSet. */
export const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/**
 * Reports whether a string is a cost: a 32-bit integer without a plus sign or leading zeros.
 * Upstream: GetDeletionCostFromPodAnnotations of pkg/apis/core/helper/helpers.go
 */
export function isDeletionCost(text: string): boolean {
  if (!/^(0|-?[1-9][0-9]*)$/.test(text)) return false;
  const value = parseInt64(text);
  return value !== undefined && value >= -(2n ** 31n) && value < 2n ** 31n;
}
