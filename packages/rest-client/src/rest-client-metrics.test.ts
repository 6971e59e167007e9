import { Socket } from 'node:net';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, it } from 'vitest';
import { RestClientMetrics } from './rest-client-metrics.js';

const attempt = { host: 'hook:443', method: 'POST' };

/** The lines of the metrics with this beginning, without those that tell their types and those of empty buckets. */
async function lines(registry: MetricsRegistry, prefix: string): Promise<string[]> {
  const { text } = await registry.expose();
  const all = text.split('\n').filter((line) => line.replace(/^# HELP /, '').startsWith(prefix));
  return all.filter((line) => !/_bucket.* 0$/.test(line));
}

function setUp() {
  const registry = new MetricsRegistry({ withProcess: false });
  return { registry, metrics: new RestClientMetrics(registry) };
}

it('counts responses and repetitions by code, method and host', async () => {
  const { registry, metrics } = setUp();
  metrics.responded(attempt, '200', undefined);
  metrics.responded(attempt, '200', undefined);
  metrics.responded({ ...attempt, method: 'GET' }, '<error>', undefined);
  metrics.retried({ ...attempt, host: 'other:8443' }, '503');
  expect(await lines(registry, 'rest_client_request')).toEqual([
    '# HELP rest_client_request_retries_total [ALPHA] Number of repeated requests to other servers, by status code, verb and host.',
    'rest_client_request_retries_total{code="503",host="other:8443",verb="POST"} 1',
    '# HELP rest_client_requests_total [ALPHA] Number of requests to other servers, by status code, method and host.',
    'rest_client_requests_total{code="200",host="hook:443",method="POST"} 2',
    'rest_client_requests_total{code="<error>",host="hook:443",method="GET"} 1',
  ]);
});

it('measures durations in seconds, and bodies in bytes', async () => {
  const { registry, metrics } = setUp();
  metrics.sent(attempt, 30_000);
  metrics.responded(attempt, '200', 16_777_216);
  metrics.responseRead(attempt, 4_194_305);
  const labels = 'host="hook:443",verb="POST"';
  expect(await lines(registry, 'rest_client_request_duration_seconds_')).toEqual([
    `rest_client_request_duration_seconds_bucket{${labels},le="30"} 1`,
    `rest_client_request_duration_seconds_bucket{${labels},le="60"} 1`,
    `rest_client_request_duration_seconds_bucket{${labels},le="+Inf"} 1`,
    `rest_client_request_duration_seconds_sum{${labels}} 30`,
    `rest_client_request_duration_seconds_count{${labels}} 1`,
  ]);
  expect(await lines(registry, 'rest_client_request_size_bytes_')).toEqual([
    `rest_client_request_size_bytes_bucket{${labels},le="1.6777216e+07"} 1`,
    `rest_client_request_size_bytes_bucket{${labels},le="+Inf"} 1`,
    `rest_client_request_size_bytes_sum{${labels}} 1.6777216e+07`,
    `rest_client_request_size_bytes_count{${labels}} 1`,
  ]);
  expect(await lines(registry, 'rest_client_response_size_bytes')).toEqual([
    '# HELP rest_client_response_size_bytes [ALPHA] Size of the bodies of responses, by verb and host.',
    `rest_client_response_size_bytes_bucket{${labels},le="1.6777216e+07"} 1`,
    `rest_client_response_size_bytes_bucket{${labels},le="+Inf"} 1`,
    `rest_client_response_size_bytes_sum{${labels}} 4.194305e+06`,
    `rest_client_response_size_bytes_count{${labels}} 1`,
  ]);
});

it('has no metrics before the first request', async () => {
  const { registry, metrics } = setUp();
  metrics.connected();
  metrics.refused();
  expect([await lines(registry, 'rest_client'), await lines(registry, 'apiserver_webhooks')]).toEqual([[], []]);
});

it('passes on what webhooks do, and counts certificates that do not suffice', async () => {
  const { registry, metrics } = setUp();
  const { webhooks } = metrics;
  webhooks.responded(attempt, '200', 100);
  webhooks.retried(attempt, '500');
  webhooks.responseRead(attempt, 200);
  webhooks.sent(attempt, 1_000);
  webhooks.connected(new Socket());
  const legacy = 'x509: certificate relies on legacy Common Name field, use SANs instead';
  const weak = 'x509: cannot verify signature: insecure algorithm SHA1-RSA';
  for (const reason of [legacy, `tls: ${legacy}`, weak, 'x509: certificate signed by unknown authority']) {
    webhooks.refused(reason);
  }
  webhooks.refused('x509: cannot verify signature: insecure algorithm MD5-RSA');
  const labels = 'host="hook:443",verb="POST"';
  const { text } = await registry.expose();
  for (const line of [
    'rest_client_requests_total{code="200",host="hook:443",method="POST"} 1',
    `rest_client_request_size_bytes_sum{${labels}} 100`,
    `rest_client_response_size_bytes_sum{${labels}} 200`,
    `rest_client_request_duration_seconds_sum{${labels}} 1`,
    'rest_client_request_retries_total{code="500",host="hook:443",verb="POST"} 1',
  ])
    expect(text.split('\n')).toContain(line);
  expect(await lines(registry, 'apiserver_webhooks')).toEqual([
    '# HELP apiserver_webhooks_x509_insecure_sha1_total [ALPHA] Number of requests to webhooks that failed because of a certificate with a SHA-1 signature.',
    'apiserver_webhooks_x509_insecure_sha1_total 1',
    '# HELP apiserver_webhooks_x509_missing_san_total [ALPHA] Number of requests to webhooks whose certificate has no alternative names, and of failures for that reason.',
    'apiserver_webhooks_x509_missing_san_total 2',
  ]);
});
