import type { MetricsRegistry } from '../metrics/metrics-registry.js';
import type { FeatureGate } from './feature-gate.js';

/** Reports the state of every gate. Upstream: k8s.io/component-base/metrics/prometheus/feature */
export function addFeatureMetrics(registry: MetricsRegistry, gate: Pick<FeatureGate, 'states'>): void {
  registry.collect({
    name: 'kubernetes_feature_enabled',
    help: 'Whether a feature is on (1), and how mature it is.',
    type: 'gauge',
    samples: () =>
      gate.states().map(({ name, stage, enabled }) => ({ labels: { name, stage }, value: Number(enabled) })),
  });
}
