import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { RestAttempt, RestObserver } from './rest-observer.js';
import { WebhookCertificateMetrics } from './webhook-certificate-metrics.js';

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
/** 64 bytes to 16 MiB. */
const BYTES = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

/**
 * Counts the requests of clients. One for each server.
 * Upstream: k8s.io/component-base/metrics/prometheus/restclient
 */
export class RestClientMetrics implements RestObserver {
  /** The same for clients of webhooks, whose certificates it looks at too. */
  readonly webhooks: RestObserver;
  readonly #registry: MetricsRegistry;
  #families: ReturnType<typeof newFamilies> | undefined;

  constructor(registry: MetricsRegistry) {
    this.#registry = registry;
    this.webhooks = new WebhookCertificateMetrics(this, registry);
  }

  responded({ host, method }: RestAttempt, code: string, bytes: number | undefined): void {
    const { results, requestSizes } = this.#all;
    if (bytes !== undefined) requestSizes.with({ verb: method, host }).observe(bytes);
    results.with({ code, method, host }).value++;
  }

  retried({ host, method }: RestAttempt, code: string): void {
    this.#all.retries.with({ code, verb: method, host }).value++;
  }

  responseRead({ host, method }: RestAttempt, bytes: number): void {
    this.#all.responseSizes.with({ verb: method, host }).observe(bytes);
  }

  sent({ host, method }: RestAttempt, milliseconds: number): void {
    this.#all.durations.with({ verb: method, host }).observe(milliseconds / 1_000);
  }

  connected(): void {}

  refused(): void {}

  get #all() {
    this.#families ??= newFamilies(this.#registry);
    return this.#families;
  }
}

function newFamilies(registry: MetricsRegistry) {
  const labels = ['verb', 'host'] as const;
  return {
    results: registry.counter({
      name: 'rest_client_requests_total',
      help: 'Number of requests to other servers, by status code, method and host.',
      labels: ['code', 'method', 'host'],
    }),
    retries: registry.counter({
      name: 'rest_client_request_retries_total',
      help: 'Number of repeated requests to other servers, by status code, verb and host.',
      labels: ['code', 'verb', 'host'],
    }),
    durations: registry.histogram(
      {
        name: 'rest_client_request_duration_seconds',
        help: 'Time that a request to another server took, with its repetitions, by verb and host.',
        labels,
      },
      SECONDS,
    ),
    requestSizes: registry.histogram(
      { name: 'rest_client_request_size_bytes', help: 'Size of the bodies of requests, by verb and host.', labels },
      BYTES,
    ),
    responseSizes: registry.histogram(
      { name: 'rest_client_response_size_bytes', help: 'Size of the bodies of responses, by verb and host.', labels },
      BYTES,
    ),
  };
}
