/** Allocated automatically, or requested by the service. */
export type AllocationScope = 'dynamic' | 'static';

/** Metrics of allocation by network. Upstream: pkg/registry/core/service/ipallocator/metrics.go */
export interface ClusterIPMetrics {
  allocated(cidr: string, scope: AllocationScope): void;
  failed(cidr: string, scope: AllocationScope): void;
  /** Records the duration of an allocation. */
  took(cidr: string, seconds: number): void;
  /** The number of allocated addresses of the network has changed. */
  changed(cidr: string): void;
}

/** Records nothing. */
export const noClusterIPMetrics: ClusterIPMetrics = {
  allocated: () => {},
  failed: () => {},
  took: () => {},
  changed: () => {},
};
