import type { AllocationScope } from '../service-ip-allocator/cluster-ip-metrics.js';

/** Metrics of node port allocation. Upstream: pkg/registry/core/service/portallocator/metrics.go */
export interface NodePortMetrics {
  allocated(scope: AllocationScope): void;
  failed(scope: AllocationScope): void;
  /** Sets the numbers of allocated and free ports. */
  changed(taken: number, free: number): void;
}

/** Records nothing. */
export const noNodePortMetrics: NodePortMetrics = { allocated: () => {}, failed: () => {}, changed: () => {} };
