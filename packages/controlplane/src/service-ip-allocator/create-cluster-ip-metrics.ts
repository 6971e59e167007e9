import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { ClusterIPMetrics } from './cluster-ip-metrics.js';
import type { IPAddresses } from './ip-addresses.js';
import { type IPRange, parseIPRange, rangeContains, rangeSize } from './ip-range.js';

/** In seconds. Upstream: DefBuckets */
const DURATION_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Larger numbers are reported as this. Upstream: math.MaxInt */
const MAX_INT = 2n ** 63n - 1n;

/**
 * Registers metrics of cluster IP allocation. Usage is computed at scrape time, for networks with an allocation or
 * release since the start.
 * Upstream: pkg/registry/core/service/ipallocator/metrics.go
 */
export function createClusterIPMetrics(
  registry: MetricsRegistry,
  addresses: Pick<IPAddresses, 'held'>,
): ClusterIPMetrics {
  const name = (what: string) => `kube_apiserver_clusterip_allocator_${what}`;
  const byScope = ['cidr', 'scope'] as const;
  const counter = (what: string, help: string) => registry.counter({ name: name(what), help, labels: byScope });
  const allocations = counter('allocation_total', 'Cluster IPs that were allocated.');
  const errors = counter('allocation_errors_total', 'Allocations of cluster IPs that failed.');
  const duration = registry.histogram(
    { name: name('allocation_duration_seconds'), help: 'How long cluster IPs took to allocate.', labels: ['cidr'] },
    DURATION_BOUNDS,
  );
  const changed = new Map<string, IPRange>();
  const fullness = (what: string, help: string, count: (range: IPRange) => number) =>
    registry.collect({
      name: name(what),
      help,
      type: 'gauge',
      samples: () => [...changed].map(([cidr, range]) => ({ labels: { cidr }, value: count(range) })),
    });
  const used = (range: IPRange) =>
    addresses.held(range.family).filter((address) => rangeContains(range, address)).length;
  fullness('allocated_ips', 'Cluster IPs that are allocated.', used);
  fullness('available_ips', 'Cluster IPs that are free.', (range) => {
    const size = rangeSize(range);
    return Number((size > MAX_INT ? MAX_INT : size) - BigInt(used(range)));
  });
  const noteChange = (cidr: string) => {
    const range = changed.has(cidr) ? undefined : parseIPRange(cidr);
    if (range !== undefined) changed.set(cidr, range);
  };
  return {
    allocated(cidr, scope) {
      allocations.with({ cidr, scope }).value++;
      noteChange(cidr);
    },
    failed: (cidr, scope) => void errors.with({ cidr, scope }).value++,
    took: (cidr, seconds) => duration.with({ cidr }).observe(seconds),
    changed: noteChange,
  };
}
