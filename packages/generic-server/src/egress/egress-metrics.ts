import type { HistogramSeries, MetricsRegistry } from '@apiserver/component-base/metrics';
import type { BackendDialer } from '@apiserver/rest-client';
import { ProxyRefusalError } from './proxy-refusal-error.js';

const BOUNDS = [0.005, 0.025, 0.1, 0.5, 2.5, 12.5];

/** Metrics of connections through egress proxies. Upstream: k8s.io/apiserver/pkg/server/egressselector/metrics */
export class EgressMetrics {
  readonly #starts;
  readonly #durations;
  readonly #failures;

  constructor(registry: MetricsRegistry) {
    const labels = ['protocol', 'transport'] as const;
    this.#starts = registry.counter({
      name: 'apiserver_egress_dialer_dial_start_total',
      help: 'Connections that were begun, by protocol and transport.',
      labels,
    });
    this.#durations = registry.histogram(
      {
        name: 'apiserver_egress_dialer_dial_duration_seconds',
        help: 'Time to connect in seconds, by protocol and transport.',
        labels,
      },
      BOUNDS,
    );
    this.#failures = registry.counter({
      name: 'apiserver_egress_dialer_dial_failure_count',
      help: 'Connections that failed, by protocol, transport and stage.',
      labels: [...labels, 'stage'],
    });
  }

  /** The same dialer, whose connections are counted and timed. */
  measured(dial: BackendDialer, protocol: string, transport: string): BackendDialer {
    const labels = { protocol, transport };
    return async (target, signal) => {
      this.#starts.with(labels).value++;
      const started = performance.now();
      try {
        const socket = await dial(target, signal);
        this.#observe(this.#durations.with(labels), started);
        return socket;
      } catch (error) {
        const stage = error instanceof ProxyRefusalError ? 'proxy' : 'connect';
        this.#failures.with({ ...labels, stage }).value++;
        throw error;
      }
    };
  }

  #observe(series: HistogramSeries, started: number): void {
    series.observe((performance.now() - started) / 1_000);
  }
}
