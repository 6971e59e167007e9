import { messageOf } from '@apiserver/apimachinery/errors';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, it, vi } from 'vitest';
import { createMemoryStore } from './memory/create-memory-store.js';
import { ObjectCounts } from './object-counts.js';
import { StorageMetrics } from './storage-metrics.js';
import type { ObjectCounter } from './storage-provider.js';

const countsOf = (...counters: readonly ObjectCounter[]): ObjectCounts => {
  const counts = new ObjectCounts();
  for (const counter of counters) counts.add(counter);
  return counts;
};
/** The lines of HELP without a sentence. */
async function helpless(metrics: MetricsRegistry): Promise<readonly string[]> {
  const helps = (await metrics.expose()).text.split('\n').filter((line) => /^# HELP (apiserver|etcd)_/.test(line));
  return helps.filter((line) => !/^# HELP \w+ \[[A-Z]+\] \S.*\w/.test(line));
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

it('counts objects, estimates their size, and says what comparing caches with the store came to', async () => {
  const clock = new ManualClock();
  const metrics = new MetricsRegistry();
  const failures: string[] = [];
  const logger = {
    info: () => {},
    warning: () => {},
    error: (error: unknown, message: string, fields = {}) =>
      void failures.push(`${message} ${JSON.stringify(fields)} ${error === undefined ? '' : messageOf(error)}`),
    v: () => undefined,
    named: () => logger,
  };
  const cachedCount = () => undefined;
  const counters: ObjectCounter[] = [
    {
      group: 'apps',
      resource: 'deployments',
      count: async () => 3,
      storedBytes: () => 1000,
      cachedCount,
      checkConsistency: async () => true,
    },
    {
      group: '',
      resource: 'pods',
      count: async () => 2,
      storedBytes: () => undefined,
      cachedCount,
      checkConsistency: async () => false,
    },
    {
      group: '',
      resource: 'nodes',
      count: () => Promise.reject(new Error('down')),
      storedBytes: () => 5,
      cachedCount,
      checkConsistency: () => Promise.reject(new Error('down')),
    },
    { group: '', resource: 'events', count: async () => 0, storedBytes: () => 0, cachedCount },
  ];
  const settings = { countMetricPollPeriod: 60_000, databaseMetricPollInterval: 0 };
  const counts = countsOf(...counters);
  await using _ = new StorageMetrics({ counts, stores: [], settings, clock, random: () => 0, metrics, logger });
  const lines = async () => (await metrics.expose()).text.split('\n').filter((line) => /^apiserver.*\{/.test(line));
  clock.advance(5000);
  await settled();
  expect(await lines()).toEqual([
    'apiserver_resource_objects{group="",resource="events"} 0',
    'apiserver_resource_objects{group="",resource="nodes"} -1',
    'apiserver_resource_objects{group="",resource="pods"} 2',
    'apiserver_resource_objects{group="apps",resource="deployments"} 3',
    'apiserver_resource_size_estimate_bytes{group="",resource="events"} 0',
    'apiserver_resource_size_estimate_bytes{group="",resource="nodes"} -1',
    'apiserver_resource_size_estimate_bytes{group="",resource="pods"} -1',
    'apiserver_resource_size_estimate_bytes{group="apps",resource="deployments"} 999',
    'apiserver_storage_objects{resource="deployments.apps"} 3',
    'apiserver_storage_objects{resource="events"} 0',
    'apiserver_storage_objects{resource="nodes"} -1',
    'apiserver_storage_objects{resource="pods"} 2',
  ]);
  clock.advance(295_000);
  await settled();
  expect((await lines()).filter((line) => line.includes('consistency'))).toEqual([
    'apiserver_storage_consistency_checks_total{group="",resource="nodes",status="error"} 1',
    'apiserver_storage_consistency_checks_total{group="",resource="pods",status="failure"} 1',
    'apiserver_storage_consistency_checks_total{group="apps",resource="deployments",status="success"} 1',
  ]);
  expect(failures).toEqual([
    'Cache consistency check failed {"group":"","resource":"pods"} ',
    'Cache consistency check error {"group":"","resource":"nodes"} down',
  ]);
  expect(await helpless(metrics)).toEqual([]);
});

it('counts a resource soon after it is added, and reports it until it is removed', async () => {
  const clock = new ManualClock();
  const metrics = new MetricsRegistry();
  const counts = countsOf();
  const settings = { countMetricPollPeriod: 60_000, databaseMetricPollInterval: 0 };
  await using _ = new StorageMetrics({
    counts,
    stores: [],
    settings,
    clock,
    random: () => 0,
    metrics,
    logger: throwingLogger,
  });
  const lines = async () => (await metrics.expose()).text.split('\n').filter((line) => line.includes('example.com'));
  const late = Promise.withResolvers<number>();
  const counter = (resource: string, count: () => Promise<number>): ObjectCounter => ({
    group: 'example.com',
    resource,
    count,
    cachedCount: () => undefined,
    storedBytes: () => 8,
  });
  clock.advance(10_000);
  await settled();
  const ends = [counts.add(counter('as', async () => 2)), counts.add(counter('bs', () => late.promise))];
  clock.advance(5000);
  await settled();
  const reported = [
    'apiserver_resource_objects{group="example.com",resource="as"} 2',
    'apiserver_resource_size_estimate_bytes{group="example.com",resource="as"} 8',
    'apiserver_storage_objects{resource="as.example.com"} 2',
  ];
  expect(await lines()).toEqual(reported);
  ends[1]?.();
  late.resolve(7);
  await settled();
  expect(await lines()).toEqual(reported);
  ends[0]?.();
  expect(await lines()).toEqual([]);
});

it('counts a resource once in the first minute, whether it was there or is added', async () => {
  const clock = new ManualClock();
  const counted: string[] = [];
  const counter = (resource: string): ObjectCounter => ({
    group: '',
    resource,
    count: async () => counted.push(resource),
    cachedCount: () => undefined,
    storedBytes: () => undefined,
  });
  const counts = countsOf(counter('pods'));
  const settings = { countMetricPollPeriod: 60_000, databaseMetricPollInterval: 0 };
  const metrics = new MetricsRegistry();
  const options = { counts, stores: [], settings, clock, random: () => 0, metrics, logger: throwingLogger };
  await using _ = new StorageMetrics(options);
  counts.add(counter('nodes'));
  clock.advance(64_000);
  await settled();
  expect(counted).toEqual(['pods', 'nodes']);
  clock.advance(1000);
  await settled();
  expect(counted).toEqual(['pods', 'nodes', 'pods', 'nodes']);
});

it.each<[string, () => boolean]>([
  ['fails', () => false],
  [
    'throws',
    () => {
      throw new Error('closed');
    },
  ],
])('reports no comparison that %s after its resource was removed', async (_what, result) => {
  const clock = new ManualClock();
  const counts = new ObjectCounts();
  const metrics = new MetricsRegistry();
  const settings = { countMetricPollPeriod: 0, databaseMetricPollInterval: 0 };
  const options = { counts, stores: [], settings, clock, random: () => 0, metrics, logger: throwingLogger };
  await using _ = new StorageMetrics(options);
  const removed = Promise.withResolvers<void>();
  const end = counts.add({
    group: 'example.com',
    resource: 'widgets',
    count: async () => 0,
    cachedCount: () => undefined,
    storedBytes: () => undefined,
    checkConsistency: () => removed.promise.then(result),
  });
  clock.advance(300_000);
  end();
  removed.resolve();
  await settled();
  expect((await metrics.expose()).text).not.toContain('example.com');
});

it('leaves no timer behind', async () => {
  const timers = new Set<object>();
  const clock = {
    now: () => 0,
    schedule: () => {
      const timer = {};
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  const settings = { countMetricPollPeriod: 60_000, databaseMetricPollInterval: 0 };
  const options = { counts: countsOf(), stores: [], settings, clock, random: () => 0, logger: throwingLogger };
  const metrics = new StorageMetrics({ ...options, metrics: new MetricsRegistry() });
  expect(timers.size).toBeGreaterThan(1);
  await metrics[Symbol.asyncDispose]();
  expect(timers.size).toBe(0);
});

it.each([
  ['never without an interval', 0, true, []],
  ['never without a store that knows it', 30_000, false, []],
  ['at once, and again after the interval and its jitter', 30_000, true, [5000, 5000 + 30_000 * 1.25]],
])('measures the database %s', async (_, databaseMetricPollInterval, hasSize, times) => {
  const clock = new ManualClock();
  const started = clock.now();
  const measured: number[] = [];
  const size = async () => measured.push(clock.now() - started);
  const stores = [{ ...createMemoryStore({ clock, compactionInterval: 0 }), ...(hasSize ? { size } : {}) }];
  const settings = { countMetricPollPeriod: 0, databaseMetricPollInterval };
  const metrics = new MetricsRegistry();
  const options = { counts: countsOf(), stores, settings, clock, random: () => 25, metrics, logger: throwingLogger };
  await using _metrics = new StorageMetrics(options);
  for (let second = 0; second < 60; second += 0.5) {
    clock.advance(500);
    await settled();
  }
  expect(measured).toEqual(times);
  const { text } = await metrics.expose();
  expect(text.includes('apiserver_storage_size_bytes')).toBe(times.length > 0);
  expect(text.includes('apiserver_resource_objects')).toBe(false);
});

it('measures each store that knows its size, and observes the leases of those that have some', async () => {
  const clock = new ManualClock();
  const settings = { countMetricPollPeriod: 0, databaseMetricPollInterval: 1000 };
  const metrics = new MetricsRegistry();
  const plain = createMemoryStore({ clock, compactionInterval: 0 });
  const failing = { ...plain, size: () => Promise.reject(new Error('down')) };
  const leased = { ...plain, size: async () => 7, observeLeases: (observed: (keys: number) => void) => observed(30) };
  const options = { counts: countsOf(), settings, clock, random: () => 0, metrics, logger: throwingLogger };
  await using _metrics = new StorageMetrics({ ...options, stores: [plain, failing, leased] });
  clock.advance(1000);
  await settled();
  const { text } = await metrics.expose();
  const lines = text
    .split('\n')
    .filter((line) => /^(apiserver_storage_size_bytes|etcd_lease_object_counts)/.test(line));
  expect(lines.filter((line) => !line.includes('_bucket'))).toEqual([
    'apiserver_storage_size_bytes{storage_cluster_id="etcd-2"} 7',
    'etcd_lease_object_counts_sum 30',
    'etcd_lease_object_counts_count 1',
  ]);
  expect(await helpless(metrics)).toEqual([]);
});

it('ends while it counts: it counts no more, and sets no other timer', async () => {
  const clock = new ManualClock();
  const gate = Promise.withResolvers<number>();
  let counted = 0;
  const counter = (resource: string): ObjectCounter => ({
    group: '',
    resource,
    cachedCount: () => undefined,
    storedBytes: () => undefined,
    count: () => {
      counted++;
      return gate.promise;
    },
  });
  const settings = { countMetricPollPeriod: 1000, databaseMetricPollInterval: 0 };
  const options = {
    counts: countsOf(counter('a'), counter('b')),
    stores: [],
    settings,
    clock,
    random: () => 0,
    logger: throwingLogger,
  };
  const metrics = new StorageMetrics({ ...options, metrics: new MetricsRegistry() });
  clock.advance(1000);
  using schedule = vi.spyOn(clock, 'schedule');
  await metrics[Symbol.asyncDispose]();
  gate.resolve(1);
  await settled();
  expect([counted, schedule.mock.calls.length]).toEqual([1, 0]);
});

it('compares no cache with the store without that feature', async () => {
  const clock = new ManualClock();
  const checkConsistency = vi.fn(async () => true);
  const counter = { group: '', resource: 'pods', count: async () => 0, cachedCount: () => 0, storedBytes: () => 0 };
  const options = {
    counts: countsOf({ ...counter, checkConsistency }),
    stores: [],
    clock,
    random: () => 0,
    metrics: new MetricsRegistry(),
  };
  const settings = { countMetricPollPeriod: 0, databaseMetricPollInterval: 0 };
  for (const checksCaches of [false, true]) {
    await using _ = new StorageMetrics({
      ...options,
      metrics: new MetricsRegistry(),
      logger: throwingLogger,
      settings: { ...settings, checksCaches },
    });
    clock.advance(300_000);
    await settled();
    expect(checkConsistency).toHaveBeenCalledTimes(Number(checksCaches));
  }
});
