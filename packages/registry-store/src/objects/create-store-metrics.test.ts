import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, it } from 'vitest';
import { createStoreMetrics } from './create-store-metrics.js';

it('writes upstream’s names and labels', async () => {
  const registry = new MetricsRegistry();
  const pods = createStoreMetrics(registry)({ group: '', resource: 'pods' });
  pods.requested('list', 0.3, true);
  pods.eventReceived();
  pods.progressReceived();
  pods.progressReceived();
  pods.undecodable();
  pods.listed(5, 4, 3);
  const { text } = await registry.expose();
  const of = 'group="",resource="pods"';
  const lines = text.split('\n').filter((line) => line.includes('resource="pods"') && !line.includes('_bucket'));
  expect(lines).toEqual([
    `apiserver_storage_decode_errors_total{${of}} 1`,
    `apiserver_storage_events_received_total{${of}} 1`,
    `apiserver_storage_list_evaluated_objects_total{${of}} 4`,
    `apiserver_storage_list_fetched_objects_total{${of}} 5`,
    `apiserver_storage_list_returned_objects_total{${of}} 3`,
    `apiserver_storage_list_total{${of}} 1`,
    `etcd_bookmark_total{${of}} 2`,
    `etcd_request_duration_seconds_sum{group="",operation="list",resource="pods"} 0.3`,
    `etcd_request_duration_seconds_count{group="",operation="list",resource="pods"} 1`,
    `etcd_request_errors_total{group="",operation="list",resource="pods"} 1`,
    `etcd_requests_total{group="",operation="list",resource="pods"} 1`,
  ]);
  expect(text).toContain('# TYPE etcd_bookmark_total counter');
  const helps = text.split('\n').filter((line) => /^# HELP (apiserver|etcd)_/.test(line));
  expect(helps.filter((line) => !/^# HELP \w+ \[[A-Z]+\] [A-Z].*[\w.]$/.test(line))).toEqual([]);
  expect(helps.length).toBeGreaterThanOrEqual(10);
});
