import type { Node } from '@apiserver/api/core/v1';

/**
 * Keeps the singular equal to the first of the plural; if they differ, the singular wins. Mutates.
 * Upstream: Convert_v1_NodeSpec_To_core_NodeSpec and back, of pkg/apis/core/v1/conversion.go
 */
export function normalizePodCIDRs({ spec }: Node): void {
  const { podCIDR, podCIDRs = [] } = spec;
  if (podCIDR && podCIDR !== podCIDRs[0]) spec.podCIDRs = [podCIDR];
  if (!podCIDR && podCIDRs[0]) spec.podCIDR = podCIDRs[0];
}
