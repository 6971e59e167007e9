import type { AllocationScope } from '../service-ip-allocator/cluster-ip-metrics.js';

/** What allocations of node ports count into. Upstream: pkg/registry/core/service/portallocator/metrics.go */
export interface NodePortMetrics {
  allocated(scope: AllocationScope): void;
  failed(scope: AllocationScope): void;
  /** So many ports are taken, so many are free. */
  changed(taken: number, free: number): void;
}

/** Counts nothing. */
export const noNodePortMetrics: NodePortMetrics = { allocated: () => {}, failed: () => {}, changed: () => {} };
