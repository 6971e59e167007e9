import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, it } from 'vitest';
import { createClusterIPMetrics } from './create-cluster-ip-metrics.js';

async function linesOf(registry: MetricsRegistry, prefix: string): Promise<readonly string[]> {
  const { text } = await registry.expose();
  const lines = text.split('\n').filter((line) => line.startsWith(prefix) && !line.includes('_bucket'));
  return lines.map((line) => line.slice(prefix.length)).sort();
}

it('counts allocations of cluster IPs by network, with the usage of networks that were allocated from', async () => {
  const registry = new MetricsRegistry();
  const held = { IPv4: ['10.0.0.1', '10.0.0.9', '10.1.0.1'], IPv6: ['fd00::1'] };
  const metrics = createClusterIPMetrics(registry, { held: (family) => held[family] });
  metrics.allocated('10.0.0.0/24', 'dynamic');
  metrics.allocated('10.0.0.0/24', 'static');
  metrics.took('10.0.0.0/24', 0.25);
  metrics.failed('10.1.0.0/28', 'static');
  metrics.changed('fd00::/64');
  expect(await linesOf(registry, '# HELP kube_apiserver_clusterip_allocator_')).toEqual([
    'allocated_ips [ALPHA] Cluster IPs that are allocated.',
    'allocation_duration_seconds [ALPHA] How long cluster IPs took to allocate.',
    'allocation_errors_total [ALPHA] Allocations of cluster IPs that failed.',
    'allocation_total [ALPHA] Cluster IPs that were allocated.',
    'available_ips [ALPHA] Cluster IPs that are free.',
  ]);
  expect(await linesOf(registry, 'kube_apiserver_clusterip_allocator_')).toEqual([
    'allocated_ips{cidr="10.0.0.0/24"} 2',
    'allocated_ips{cidr="fd00::/64"} 1',
    'allocation_duration_seconds_count{cidr="10.0.0.0/24"} 1',
    'allocation_duration_seconds_sum{cidr="10.0.0.0/24"} 0.25',
    'allocation_errors_total{cidr="10.1.0.0/28",scope="static"} 1',
    'allocation_total{cidr="10.0.0.0/24",scope="dynamic"} 1',
    'allocation_total{cidr="10.0.0.0/24",scope="static"} 1',
    'available_ips{cidr="10.0.0.0/24"} 252',
    // The maximum of Go's int, as a double.
    'available_ips{cidr="fd00::/64"} 9.223372036854776e+18',
  ]);
});
