import type { HistogramSeries, MetricsRegistry } from '@apiserver/component-base/metrics';

const BOUNDS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30];

/**
 * The time that requests spend in each filter. Upstream: RecordFilterLatency of k8s.io/apiserver/pkg/endpoints/metrics
 */
export function filterDurations(registry: MetricsRegistry): (filter: string) => HistogramSeries {
  const durations = registry.histogram(
    {
      name: 'apiserver_request_filter_duration_seconds',
      help: 'Time until a filter passes a request on, in seconds.',
      labels: ['filter'],
    },
    BOUNDS,
  );
  return (filter) => durations.with({ filter });
}
