import { exponentialBounds, type MetricsRegistry } from '@apiserver/component-base/metrics';
import type { GraphObserver } from './graph-sinks.js';

/**
 * Registers the metric of changes of the graph.
 * Upstream: plugin/pkg/auth/authorizer/node/metrics.go
 */
export function createGraphMetrics(registry: MetricsRegistry): GraphObserver {
  const durations = registry.histogram(
    {
      name: 'node_authorizer_graph_actions_duration_seconds',
      help: "Time to change the Node authorizer's graph, in seconds.",
      labels: ['operation'],
    },
    exponentialBounds(0.0001, 12),
  );
  return (operation, milliseconds) => durations.with({ operation }).observe(milliseconds / 1_000);
}
