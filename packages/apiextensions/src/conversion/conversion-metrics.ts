import { exponentialBounds, type MetricsRegistry } from '@apiserver/component-base/metrics';

/** Causes of a failed conversion. Upstream: ConversionWebhookErrorType of …/pkg/apiserver/conversion/metrics.go */
export type ConversionFailure =
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure'
  | 'conversion_webhook_invalid_converted_object_failure';

/** A call of a webhook. */
interface MeasuredConversion {
  readonly definition: string;
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
  /** Undefined for a success. */
  readonly failure: ConversionFailure | undefined;
}

/** Counts the calls of conversion webhooks. */
export type ConversionMetrics = (conversion: MeasuredConversion) => void;

/** From 1 ms to 16 s. Upstream: latencyBuckets */
const LATENCY_BOUNDS = exponentialBounds(0.001, 15);
/** Upstream: newConversionWebhookMetrics */
const REQUEST_BOUNDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];

/** Registers the metrics. Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/metrics.go */
export function createConversionMetrics(registry: MetricsRegistry): ConversionMetrics {
  const byResult = ['result', 'failure_type'] as const;
  const requests = registry.counter({
    name: 'apiserver_conversion_webhook_request_total',
    help: 'Calls of conversion webhooks by result, and by the type of failure.',
    labels: byResult,
  });
  const durations = registry.histogram(
    {
      name: 'apiserver_conversion_webhook_duration_seconds',
      help: 'Durations of calls of conversion webhooks in seconds.',
      labels: byResult,
    },
    REQUEST_BOUNDS,
  );
  const latencies = registry.histogram(
    {
      name: 'apiserver_crd_conversion_webhook_duration_seconds',
      help: 'Durations of conversions by webhooks in seconds.',
      labels: ['crd_name', 'from_version', 'to_version', 'succeeded'],
    },
    LATENCY_BOUNDS,
  );
  return ({ definition, from, to, seconds, failure }) => {
    const labels = { result: failure === undefined ? 'success' : 'failure', failure_type: failure ?? '' };
    requests.with(labels).value++;
    durations.with(labels).observe(seconds);
    const succeeded = String(failure === undefined);
    latencies.with({ crd_name: definition, from_version: from, to_version: to, succeeded }).observe(seconds);
  };
}
