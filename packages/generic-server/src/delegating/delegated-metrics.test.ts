import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, it } from 'vitest';
import { delegatedRequestMetrics, tokenCacheMetrics } from './delegated-metrics.js';

/** The lines of the metrics with this beginning, without types. */
async function lines(registry: MetricsRegistry, prefix: string): Promise<string[]> {
  const { text } = await registry.expose();
  return text.split('\n').filter((line) => line.replace(/^# HELP /, '').startsWith(prefix));
}

const buckets = (bounds: readonly number[], from: number) => [
  ...bounds.map((le) => [le, le < from ? 0 : 1] as const),
  ['+Inf', 1] as const,
];

it.each(['authn', 'authz'] as const)('counts and times reviews of %s by code', async (part) => {
  const registry = new MetricsRegistry({ withProcess: false });
  const observe = delegatedRequestMetrics(registry, part);
  observe({ code: '201', result: 'success', milliseconds: 700 });
  const name = `apiserver_delegated_${part}_request`;
  expect(await lines(registry, name)).toEqual([
    `# HELP ${name}_duration_seconds [ALPHA] Duration of requests to the core server in seconds, by status code.`,
    ...buckets([0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10], 0.7).map(
      ([le, count]) => `${name}_duration_seconds_bucket{code="201",le="${le}"} ${count}`,
    ),
    `${name}_duration_seconds_sum{code="201"} 0.7`,
    `${name}_duration_seconds_count{code="201"} 1`,
    `# HELP ${name}_total [ALPHA] Requests to the core server, by status code.`,
    `${name}_total{code="201"} 1`,
  ]);
});

it('counts look-ups of tokens', async () => {
  const registry = new MetricsRegistry({ withProcess: false });
  const { lookedUp, active, fetched } = tokenCacheMetrics(registry);
  lookedUp('hit', 25);
  active('blocked', 1);
  active('blocked', 1);
  active('blocked', -1);
  fetched('ok');
  const name = 'authentication_token_cache';
  expect(await lines(registry, name)).toEqual([
    `# HELP ${name}_active_fetch_count [ALPHA] Look-ups that are under way, and callers that wait.`,
    `${name}_active_fetch_count{status="blocked"} 1`,
    `# HELP ${name}_fetch_total [ALPHA] Look-ups of tokens that the cache did not know.`,
    `${name}_fetch_total{status="ok"} 1`,
    `# HELP ${name}_request_duration_seconds [ALPHA] Duration of look-ups of tokens in seconds.`,
    ...buckets([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10], 0.025).map(
      ([le, count]) => `${name}_request_duration_seconds_bucket{status="hit",le="${le}"} ${count}`,
    ),
    `${name}_request_duration_seconds_sum{status="hit"} 0.025`,
    `${name}_request_duration_seconds_count{status="hit"} 1`,
    `# HELP ${name}_request_total [ALPHA] Look-ups of tokens in the cache.`,
    `${name}_request_total{status="hit"} 1`,
  ]);
});
