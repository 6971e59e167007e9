import type { TokenCacheObserver } from '@apiserver/authentication';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import type { ReviewAttempt } from './review-sender.js';

const BUCKETS = [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10];
/** Upstream: metrics.DefBuckets */
const DEFAULT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Counts and times the reviews by the core server.
 * Upstream: metrics.go of k8s.io/apiserver/pkg/authentication/authenticatorfactory and
 * …/authorization/authorizerfactory
 */
export function delegatedRequestMetrics(
  metrics: MetricsRegistry,
  part: 'authn' | 'authz',
): (attempt: ReviewAttempt) => void {
  const requests = metrics.counter({
    name: `apiserver_delegated_${part}_request_total`,
    help: 'Requests to the core server, by status code.',
    labels: ['code'],
  });
  const durations = metrics.histogram(
    {
      name: `apiserver_delegated_${part}_request_duration_seconds`,
      help: 'Duration of requests to the core server in seconds, by status code.',
      labels: ['code'],
    },
    BUCKETS,
  );
  return ({ code, milliseconds }) => {
    requests.with({ code }).value++;
    durations.with({ code }).observe(milliseconds / 1_000);
  };
}

/** Upstream: k8s.io/apiserver/pkg/authentication/token/cache/stats.go */
export function tokenCacheMetrics(metrics: MetricsRegistry): TokenCacheObserver {
  const named = (name: string, help: string) => ({
    name: `authentication_token_cache_${name}`,
    help,
    labels: ['status'] as const,
  });
  const requests = metrics.counter(named('request_total', 'Look-ups of tokens in the cache.'));
  const durations = metrics.histogram(
    named('request_duration_seconds', 'Duration of look-ups of tokens in seconds.'),
    DEFAULT_BUCKETS,
  );
  const fetches = metrics.counter(named('fetch_total', 'Look-ups of tokens that the cache did not know.'));
  const active = metrics.gauge(named('active_fetch_count', 'Look-ups that are under way, and callers that wait.'));
  return {
    lookedUp: (status, milliseconds) => {
      requests.with({ status }).value++;
      durations.with({ status }).observe(milliseconds / 1_000);
    },
    active: (status, change) => {
      active.with({ status }).value += change;
    },
    fetched: (status) => {
      fetches.with({ status }).value++;
    },
  };
}
