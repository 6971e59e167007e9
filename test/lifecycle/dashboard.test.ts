import { expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { startApiServer } from '../harness/api-server.ts';

/**
 * The series that the API-server dashboard of kubernetes-mixin and its rules read, with the labels in their queries.
 * Its panel of goroutines belongs to Go.
 */
const READ: readonly (readonly [metric: string, ...labels: readonly string[]])[] = [
  ['apiserver_request_total', 'verb', 'code', 'resource'],
  ['apiserver_request_sli_duration_seconds_bucket', 'verb', 'scope', 'resource', 'subresource', 'le'],
  ['apiserver_request_sli_duration_seconds_count', 'verb', 'scope', 'resource'],
  ['apiserver_request_duration_seconds_bucket', 'verb', 'scope', 'resource', 'subresource', 'le'],
  ['workqueue_adds_total', 'name'],
  ['workqueue_depth', 'name'],
  ['workqueue_queue_duration_seconds_bucket', 'name', 'le'],
  ['process_resident_memory_bytes'],
  ['process_cpu_seconds_total'],
  ['kubernetes_build_info', 'git_version'],
  ['apiserver_client_certificate_expiration_seconds_bucket', 'le'],
  ['apiserver_client_certificate_expiration_seconds_count'],
  ['aggregator_unavailable_apiservice', 'name'],
  ['apiserver_current_inflight_requests', 'request_kind'],
];

it('has data for the dashboard of kubernetes-mixin', async () => {
  await using server = await startApiServer();
  using client = new AdminClient(server.kubeconfig);
  for (const [method, path, body] of [
    ['POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } }],
    ['GET', '/api/v1/namespaces/default/configmaps/a', undefined],
    ['GET', '/api/v1/configmaps', undefined],
    ['DELETE', '/api/v1/namespaces/default/configmaps/a', undefined],
  ] as const) {
    await client.request(method, path, body);
  }
  const lines = (await client.request('GET', '/metrics')).body.split('\n');
  const missing = READ.filter(([metric, ...labels]) => {
    const isSeries = (line: string) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `);
    return !lines.some((line) => isSeries(line) && labels.every((label) => line.includes(`${label}="`)));
  });
  expect(missing).toEqual([]);
});
