import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { ReviewAttempt, ReviewResult } from '../delegating/review-sender.js';

/** Upstream: metrics.DefBuckets */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Records the calls of an authorization webhook. */
export interface AuthorizationWebhookMetrics {
  attempted(attempt: ReviewAttempt): void;
  /** A request went on without an opinion, because the webhook failed. */
  failedOpen(result: ReviewResult): void;
}

/**
 * Returns the metrics of a webhook by its name. Call it once for each server.
 * Upstream: k8s.io/apiserver/plugin/pkg/authorizer/webhook/metrics
 */
export function authorizationWebhookMetrics(metrics: MetricsRegistry): (name: string) => AuthorizationWebhookMetrics {
  const labels = ['name', 'result'] as const;
  const evaluations = metrics.counter({
    name: 'apiserver_authorization_webhook_evaluations_total',
    help: 'Calls of authorization webhooks.',
    labels,
  });
  const durations = metrics.histogram(
    {
      name: 'apiserver_authorization_webhook_duration_seconds',
      help: 'Duration of calls of authorization webhooks in seconds.',
      labels,
    },
    BUCKETS,
  );
  const failures = metrics.counter({
    name: 'apiserver_authorization_webhook_evaluations_fail_open_total',
    help: 'Requests without an opinion, because a webhook failed or took too long.',
    labels,
  });
  return (name) => ({
    attempted: ({ result, milliseconds }) => {
      evaluations.with({ name, result }).value++;
      durations.with({ name, result }).observe(milliseconds / 1_000);
    },
    failedOpen: (result) => {
      failures.with({ name, result }).value++;
    },
  });
}
