import { ManualClock } from '@apiserver/apimachinery/testing';
import { expect, it } from 'vitest';
import { MetricsRegistry } from '../metrics/index.js';
import { createWorkQueueMetrics } from './work-queue-metrics.js';

async function linesOf(registry: MetricsRegistry): Promise<readonly string[]> {
  return (await registry.expose()).text.split('\n').filter((line) => line !== '' && !line.includes('_bucket'));
}

it('counts the keys of each queue, and their times', async () => {
  const registry = new MetricsRegistry();
  const clock = new ManualClock();
  const metricsOf = createWorkQueueMetrics(registry, clock);
  const [a, b] = [metricsOf('a'), metricsOf('b')];
  a.added(1);
  a.added(2);
  a.started('x', 1, 0.5);
  clock.advance(2000);
  a.started('y', 0, 0.25);
  clock.advance(1000);
  b.added(1);
  b.started('z', 0, 0);
  b.done('z', 4);
  b.retried();
  const samples = (await linesOf(registry)).filter((line) => line.startsWith('workqueue_'));
  expect(samples.toSorted()).toEqual(
    [
      'workqueue_adds_total{name="a"} 2',
      'workqueue_adds_total{name="b"} 1',
      'workqueue_depth{name="a"} 0',
      'workqueue_depth{name="b"} 0',
      'workqueue_longest_running_processor_seconds{name="a"} 3',
      'workqueue_longest_running_processor_seconds{name="b"} 0',
      'workqueue_queue_duration_seconds_count{name="a"} 2',
      'workqueue_queue_duration_seconds_count{name="b"} 1',
      'workqueue_queue_duration_seconds_sum{name="a"} 0.75',
      'workqueue_queue_duration_seconds_sum{name="b"} 0',
      'workqueue_retries_total{name="a"} 0',
      'workqueue_retries_total{name="b"} 1',
      'workqueue_unfinished_work_seconds{name="a"} 4',
      'workqueue_unfinished_work_seconds{name="b"} 0',
      'workqueue_work_duration_seconds_count{name="a"} 0',
      'workqueue_work_duration_seconds_count{name="b"} 1',
      'workqueue_work_duration_seconds_sum{name="a"} 0',
      'workqueue_work_duration_seconds_sum{name="b"} 4',
    ].toSorted(),
  );
});

it('forgets a key that is done', async () => {
  const registry = new MetricsRegistry();
  const clock = new ManualClock();
  const metrics = createWorkQueueMetrics(registry, clock)('a');
  metrics.started('x', 0, 0);
  metrics.done('x', 0);
  clock.advance(1000);
  expect((await linesOf(registry)).filter((line) => /^workqueue_(unfinished|longest).*\{/.test(line))).toEqual([
    'workqueue_longest_running_processor_seconds{name="a"} 0',
    'workqueue_unfinished_work_seconds{name="a"} 0',
  ]);
});

it('has help texts and bounds', async () => {
  const registry = new MetricsRegistry();
  const metrics = createWorkQueueMetrics(registry, new ManualClock())('a');
  metrics.added(1);
  metrics.started('x', 0, 5);
  metrics.done('x', 5);
  metrics.retried();
  const { text } = await registry.expose();
  const helps = text.split('\n').filter((line) => line.startsWith('# HELP workqueue_'));
  expect(helps.toSorted()).toEqual([
    '# HELP workqueue_adds_total [BETA] Keys added to a work queue.',
    '# HELP workqueue_depth [BETA] Keys that wait in a work queue.',
    '# HELP workqueue_longest_running_processor_seconds [BETA] Age of the oldest key in progress.',
    '# HELP workqueue_queue_duration_seconds [BETA] Time that keys wait in a work queue.',
    '# HELP workqueue_retries_total [BETA] Retries of keys.',
    '# HELP workqueue_unfinished_work_seconds [BETA] Age of all keys in progress, added up.',
    '# HELP workqueue_work_duration_seconds [BETA] Time that processing a key takes.',
  ]);
  const buckets = text.split('\n').filter((line) => line.startsWith('workqueue_queue_duration_seconds_bucket'));
  expect(buckets.map((line) => line.replace(/.*le="(.*)"\} /, '$1 '))).toEqual([
    ...['1e-08 0', '1e-07 0', '1e-06 0', '9.999999999999999e-06 0'],
    ...['9.999999999999999e-05 0', '0.001 0', '0.01 0', '0.1 0', '1 0'],
    ...['10 1', '+Inf 1'],
  ]);
});

it('is shared by all who ask the same registry', async () => {
  const registry = new MetricsRegistry();
  for (let i = 0; i < 2; i++) createWorkQueueMetrics(registry, new ManualClock())('a').added(1);
  const { text } = await registry.expose();
  expect(text).toContain('workqueue_adds_total{name="a"} 2\n');
  const types = text.split('\n').filter((line) => line.startsWith('# TYPE workqueue_') && line.endsWith(' gauge'));
  expect(types.map((line) => line.split(' ')[2]).toSorted()).toEqual([
    'workqueue_depth',
    'workqueue_longest_running_processor_seconds',
    'workqueue_unfinished_work_seconds',
  ]);
});
