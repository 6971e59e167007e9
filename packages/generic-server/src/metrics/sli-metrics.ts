import { MetricsRegistry } from '@apiserver/component-base/metrics';

/**
 * The results of health checks, which a scraper may read more often than all metrics: /metrics/slis.
 * Upstream: k8s.io/component-base/metrics/prometheus/slis
 */
export class SliMetrics {
  readonly registry = new MetricsRegistry({ withProcess: false, withOwn: false });
  readonly #last = this.registry.gauge({
    name: 'kubernetes_healthcheck',
    help: 'Last result of a health check: 1 for success.',
    labels: ['name', 'type'],
  });
  readonly #total = this.registry.counter({
    name: 'kubernetes_healthchecks_total',
    help: 'Results of health checks.',
    labels: ['name', 'type', 'status'],
  });

  /** `processStart`: milliseconds since the epoch. */
  constructor(processStart: number) {
    this.registry.collect({
      name: 'process_start_time_seconds',
      help: 'Start of the process in seconds since the epoch.',
      type: 'gauge',
      samples: () => [{ labels: {}, value: processStart / 1_000 }],
    });
  }

  /** `type` is the endpoint: healthz, livez or readyz. */
  observe(name: string, type: string, isHealthy: boolean): void {
    this.#last.with({ name, type }).value = isHealthy ? 1 : 0;
    this.#total.with({ name, type, status: isHealthy ? 'success' : 'error' }).value++;
  }
}
