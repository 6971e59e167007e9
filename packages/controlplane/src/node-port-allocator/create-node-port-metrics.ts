import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { NodePortMetrics } from './node-port-metrics.js';

/**
 * Registers metrics of node port allocation.
 * Upstream: pkg/registry/core/service/portallocator/metrics.go
 */
export function createNodePortMetrics(registry: MetricsRegistry): NodePortMetrics {
  const name = (what: string) => `kube_apiserver_nodeport_allocator_${what}`;
  const counter = (what: string, help: string) =>
    registry.counter({ name: name(what), help, labels: ['scope'] as const });
  const gauge = (what: string, help: string) => registry.gauge({ name: name(what), help, labels: [] }).with({});
  const allocations = counter('allocation_total', 'Node ports that were allocated.');
  const errors = counter('allocation_errors_total', 'Allocations of node ports that failed.');
  const taken = gauge('allocated_ports', 'Node ports that are allocated.');
  const free = gauge('available_ports', 'Node ports that are free.');
  return {
    allocated: (scope) => void allocations.with({ scope }).value++,
    failed: (scope) => void errors.with({ scope }).value++,
    changed(takenPorts, freePorts) {
      taken.value = takenPorts;
      free.value = freePorts;
    },
  };
}
