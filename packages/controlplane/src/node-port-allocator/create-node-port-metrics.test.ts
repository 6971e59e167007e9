import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, it } from 'vitest';
import { createNodePortMetrics } from './create-node-port-metrics.js';

it('counts allocations of node ports', async () => {
  const registry = new MetricsRegistry();
  const metrics = createNodePortMetrics(registry);
  metrics.allocated('dynamic');
  metrics.failed('static');
  metrics.changed(3, 7);
  const prefix = 'kube_apiserver_nodeport_allocator_';
  const { text } = await registry.expose();
  const lines = text.split('\n').filter((line) => line.startsWith(prefix));
  expect(lines.map((line) => line.slice(prefix.length)).sort()).toEqual([
    'allocated_ports 3',
    'allocation_errors_total{scope="static"} 1',
    'allocation_total{scope="dynamic"} 1',
    'available_ports 7',
  ]);
});
