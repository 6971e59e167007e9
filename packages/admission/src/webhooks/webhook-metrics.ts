import type { AdmissionOperation } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { WebhookType } from './configured-webhook.js';

/** In seconds. */
const CALL_BOUNDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
/** Greater codes are counted as this one, so that webhooks cannot make many series. */
const MAX_CODE = 600;

/** The reason for a rejection. */
export type RejectionCause = 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error';

/** A call of a webhook, for metrics. */
export interface ObservedCall {
  readonly name: string;
  readonly type: WebhookType;
  readonly operation: AdmissionOperation;
  readonly seconds: number;
  readonly code: number;
  readonly rejected: boolean;
}

/**
 * Counts calls of webhooks.
 * Upstream: k8s.io/apiserver/pkg/admission/metrics
 */
export class WebhookMetrics {
  readonly #registry: MetricsRegistry;
  #families: ReturnType<typeof newFamilies> | undefined;

  constructor(registry: MetricsRegistry) {
    this.#registry = registry;
  }

  called({ name, type, operation, seconds, code, rejected }: ObservedCall): void {
    const { requests, durations } = this.#all;
    const labels = { name, type, operation, rejected: String(rejected) };
    requests.with({ ...labels, code: String(Math.min(code, MAX_CODE)) }).value++;
    durations.with(labels).observe(seconds);
  }

  rejected({ name, type, operation, code }: ObservedCall, cause: RejectionCause): void {
    const labels = { name, type, operation, error_type: cause, rejection_code: String(Math.min(code, MAX_CODE)) };
    this.#all.rejections.with(labels).value++;
  }

  failedOpen(name: string, type: WebhookType): void {
    this.#all.failedOpen.with({ name, type }).value++;
  }

  get #all() {
    this.#families ??= newFamilies(this.#registry);
    return this.#families;
  }
}

function newFamilies(registry: MetricsRegistry) {
  return {
    durations: registry.histogram(
      {
        name: 'apiserver_admission_webhook_admission_duration_seconds',
        help: 'Time a webhook took, by webhook, phase, operation and whether it refused.',
        labels: ['name', 'type', 'operation', 'rejected'],
      },
      CALL_BOUNDS,
    ),
    rejections: registry.counter({
      name: 'apiserver_admission_webhook_rejection_count',
      help: 'Number of requests that a webhook refused, or that were refused because it failed.',
      labels: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
    }),
    failedOpen: registry.counter({
      name: 'apiserver_admission_webhook_fail_open_count',
      help: 'Number of requests that were admitted although a webhook failed.',
      labels: ['name', 'type'],
    }),
    requests: registry.counter({
      name: 'apiserver_admission_webhook_request_total',
      help: 'Number of calls of a webhook, by the code of the result and whether it refused.',
      labels: ['name', 'type', 'operation', 'code', 'rejected'],
    }),
  };
}
