/** Whether a service named its address. */
export type AllocationScope = 'dynamic' | 'static';

/** What allocations count into, by the network. Upstream: pkg/registry/core/service/ipallocator/metrics.go */
export interface ClusterIPMetrics {
  allocated(cidr: string, scope: AllocationScope): void;
  failed(cidr: string, scope: AllocationScope): void;
  /** An allocation took so many seconds. */
  took(cidr: string, seconds: number): void;
  /** How full the network is has changed. */
  changed(cidr: string): void;
}

/** Counts nothing. */
export const noClusterIPMetrics: ClusterIPMetrics = {
  allocated: () => {},
  failed: () => {},
  took: () => {},
  changed: () => {},
};
