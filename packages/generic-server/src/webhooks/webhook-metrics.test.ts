import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, it } from 'vitest';
import { reviewVersionOf } from './review-webhook.js';
import { authorizationWebhookMetrics } from './webhook-metrics.js';

it('counts and times the calls of each authorization webhook', async () => {
  const registry = new MetricsRegistry({ withProcess: false });
  const metricsOf = authorizationWebhookMetrics(registry);
  metricsOf('a').attempted({ code: '200', result: 'success', milliseconds: 2_500 });
  metricsOf('b').attempted({ code: '<error>', result: 'timeout', milliseconds: 0 });
  metricsOf('b').failedOpen('timeout');
  const { text } = await registry.expose();
  const name = 'apiserver_authorization_webhook';
  const shown = text.split('\n').filter((line) => line.replace(/^# HELP /, '').startsWith(name));
  expect(shown.filter((line) => !line.includes('_bucket'))).toEqual([
    `# HELP ${name}_duration_seconds [ALPHA] Duration of calls of authorization webhooks in seconds.`,
    `${name}_duration_seconds_sum{name="a",result="success"} 2.5`,
    `${name}_duration_seconds_count{name="a",result="success"} 1`,
    `${name}_duration_seconds_sum{name="b",result="timeout"} 0`,
    `${name}_duration_seconds_count{name="b",result="timeout"} 1`,
    `# HELP ${name}_evaluations_fail_open_total [ALPHA] Requests without an opinion, because a webhook failed or took too long.`,
    `${name}_evaluations_fail_open_total{name="b",result="timeout"} 1`,
    `# HELP ${name}_evaluations_total [ALPHA] Calls of authorization webhooks.`,
    `${name}_evaluations_total{name="a",result="success"} 1`,
    `${name}_evaluations_total{name="b",result="timeout"} 1`,
  ]);
  expect(
    shown.filter((line) => line.includes('_bucket{name="a"')).map((line) => line.split(/le="|"} /).slice(1)),
  ).toEqual([
    ...[0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1].map((bound) => [String(bound), '0']),
    ...['2.5', '5', '10', '+Inf'].map((bound) => [bound, '1']),
  ]);
});

it('knows two versions of reviews', () => {
  expect(['v1', 'v1beta1'].map((text) => reviewVersionOf(text, 'webhook'))).toEqual(['v1', 'v1beta1']);
  expect(() => reviewVersionOf('v2', 'authentication webhook')).toThrow(
    'unsupported authentication webhook version "v2", supported versions are "v1", "v1beta1"',
  );
});
