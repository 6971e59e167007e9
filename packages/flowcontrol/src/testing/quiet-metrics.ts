import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { FlowMetrics } from '../metrics/flow-metrics.js';

/** Metrics of a registry of their own. */
export function quietMetrics(now: () => number = () => 0): FlowMetrics {
  return new FlowMetrics(new MetricsRegistry(), now);
}
