import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { describe, expect, it } from 'vitest';
import { createCacheMetrics } from './create-cache-metrics.js';

describe('createCacheMetrics', () => {
  it('writes upstream’s names and labels', async () => {
    const registry = new MetricsRegistry();
    const pods = createCacheMetrics(registry)({ group: '', resource: 'pods' });
    pods.initialized();
    pods.changed(7);
    pods.changed(1e15 + 9);
    pods.initialEvents(0);
    pods.initialEvents(3);
    pods.listed('', 5, 4);
    pods.listed('f:spec.nodeName', 2, 2);
    pods.waited(0.03);
    pods.consistentRead(true, false);
    pods.resized(100, 100);
    pods.resized(100, 200);
    pods.resized(200, 100);
    const { text } = await registry.expose();
    const of = 'group="",resource="pods"';
    const lines = text.split('\n').filter((line) => line.includes('resource="pods"') && !line.includes('_bucket'));
    expect(lines).toEqual([
      `apiserver_cache_list_fetched_objects_total{group="",index="",resource="pods"} 5`,
      `apiserver_cache_list_fetched_objects_total{group="",index="f:spec.nodeName",resource="pods"} 2`,
      `apiserver_cache_list_returned_objects_total{${of}} 6`,
      `apiserver_cache_list_total{group="",index="",resource="pods"} 1`,
      `apiserver_cache_list_total{group="",index="f:spec.nodeName",resource="pods"} 1`,
      `apiserver_init_events_total{${of}} 3`,
      `apiserver_watch_cache_consistent_read_total{fallback="false",${of},success="true"} 1`,
      `apiserver_watch_cache_events_dispatched_total{${of}} 2`,
      `apiserver_watch_cache_events_received_total{${of}} 2`,
      `apiserver_watch_cache_initializations_total{${of}} 1`,
      `apiserver_watch_cache_read_wait_seconds_sum{${of}} 0.03`,
      `apiserver_watch_cache_read_wait_seconds_count{${of}} 1`,
      `apiserver_watch_cache_resource_version{${of}} 9`,
      `watch_cache_capacity{${of}} 100`,
      `watch_cache_capacity_decrease_total{${of}} 1`,
      `watch_cache_capacity_increase_total{${of}} 1`,
    ]);
  });

  it('has help texts', async () => {
    const registry = new MetricsRegistry();
    const pods = createCacheMetrics(registry)({ group: '', resource: 'pods' });
    pods.initialized();
    pods.changed(7);
    pods.initialEvents(3);
    pods.listed('', 5, 4);
    pods.waited(0.03);
    pods.consistentRead(true, false);
    pods.resized(100, 200);
    pods.resized(200, 100);
    const lines = (await registry.expose()).text
      .split('\n')
      .filter((line) => /^# HELP (apiserver|watch_cache)_/.test(line));
    expect(lines.filter((line) => !/^# HELP \w+ \[[A-Z]+\] [A-Z].*\w/.test(line))).toEqual([]);
    expect(lines.length).toBeGreaterThanOrEqual(13);
  });
});
