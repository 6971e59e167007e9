import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { Informer } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry, ValueFamily } from '@apiserver/component-base/metrics';
import { findCondition, isAvailable } from '../api-service/conditions.js';

/**
 * Metrics of APIServices by name: current unavailability, and the number of transitions to it by reason.
 * Upstream: k8s.io/kube-aggregator/pkg/controllers/status/metrics/metrics.go
 */
export class AvailabilityMetrics {
  readonly #losses: ValueFamily<'name' | 'reason'>;

  constructor(metrics: MetricsRegistry, informer: Informer<APIService>) {
    this.#losses = metrics.counter({
      name: 'aggregator_unavailable_apiservice_total',
      help: 'How often APIServices became unavailable, by name and reason.',
      labels: ['name', 'reason'],
    });
    metrics.collect({
      name: 'aggregator_unavailable_apiservice',
      help: 'Whether an APIService is unavailable (1) or not (0), by name.',
      type: 'gauge',
      samples: () =>
        informer.list().map((apiService) => ({
          labels: { name: apiService.metadata.name ?? '' },
          value: isAvailable(apiService) ? 0 : 1,
        })),
    });
  }

  /** Call this after writing a new status. */
  changed(before: APIService, after: APIService): void {
    if (!isAvailable(before) || isAvailable(after)) return;
    const reason = findCondition(after, 'Available')?.reason ?? 'UnknownReason';
    this.#losses.with({ name: before.metadata.name ?? '', reason }).value++;
  }
}
