import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, it } from 'vitest';
import { admissionMetrics } from './admission-metrics.js';

it('counts how long plugins and phases take', async () => {
  const registry = new MetricsRegistry();
  const { now, observe } = admissionMetrics(registry);
  expect(now()).toBeLessThanOrEqual(now());
  const observation = { phase: 'admit', operation: 'CREATE', rejected: false, seconds: 0.02, at: 0 } as const;
  observe({ ...observation, plugin: 'Priority' });
  observe({ ...observation, plugin: 'Priority' });
  observe({ ...observation, plugin: undefined, rejected: true });
  const lines = (await registry.expose()).text.split('\n').filter((line) => /_seconds_(bucket|count)/.test(line));
  expect(lines.filter((line) => line.includes('0.025') || line.includes('_count'))).toEqual([
    'apiserver_admission_controller_admission_duration_seconds_bucket{name="Priority",operation="CREATE",rejected="false",type="admit",le="0.025"} 2',
    'apiserver_admission_controller_admission_duration_seconds_count{name="Priority",operation="CREATE",rejected="false",type="admit"} 2',
    'apiserver_admission_step_admission_duration_seconds_bucket{operation="CREATE",rejected="true",type="admit",le="0.025"} 1',
    'apiserver_admission_step_admission_duration_seconds_count{operation="CREATE",rejected="true",type="admit"} 1',
  ]);
});

it('summarizes how long phases take', async () => {
  const registry = new MetricsRegistry();
  const { now, observe } = admissionMetrics(registry);
  const observation = { phase: 'validate', operation: 'UPDATE', rejected: false, at: now() } as const;
  for (let i = 1; i <= 100; i++) observe({ ...observation, plugin: undefined, seconds: i });
  observe({ ...observation, plugin: 'Priority', seconds: 1 });
  const family = 'apiserver_admission_step_admission_duration_seconds_summary';
  const lines = (await registry.expose()).text.split('\n').filter((line) => line.startsWith(family));
  const labels = 'operation="UPDATE",rejected="false",type="validate"';
  expect(lines.map((line) => line.replace(/ (\d+)\.\d+$/, ' $1'))).toEqual([
    `${family}{${labels},quantile="0.5"} 49`,
    `${family}{${labels},quantile="0.9"} 90`,
    `${family}{${labels},quantile="0.99"} 99`,
    `${family}_sum{${labels}} 5050`,
    `${family}_count{${labels}} 100`,
  ]);
});

it('adds the runs of skipped plugins when the metrics are read', async () => {
  const registry = new MetricsRegistry();
  const { observe, skipped } = admissionMetrics(registry);
  observe({ phase: 'admit', operation: 'CREATE', rejected: false, seconds: 1, at: 0, plugin: 'B' });
  const counter = skipped('admit', 'CREATE', ['A', 'B']);
  expect(skipped('admit', 'CREATE', ['A', 'B'])).toBe(counter);
  skipped('admit', 'UPDATE', ['A']);
  const counts = async () =>
    (await registry.expose()).text
      .split('\n')
      .filter((line) => line.includes('controller') && /le="0.005"|_count|_sum/.test(line))
      .map((line) =>
        line.replace(
          /.*_(bucket|sum|count)\{name="(.)",operation="(\w+)",rejected="false",type="(\w+)".*\} /,
          '$2 $4 $3 $1 ',
        ),
      );
  counter.runs = 3;
  const expected = [
    'A admit CREATE bucket 3',
    'A admit CREATE sum 0',
    'A admit CREATE count 3',
    'B admit CREATE bucket 3',
    'B admit CREATE sum 1',
    'B admit CREATE count 4',
  ];
  expect(await counts()).toEqual(expected);
  expect(await counts()).toEqual(expected);
});

it('has help texts', async () => {
  const registry = new MetricsRegistry();
  const { observe } = admissionMetrics(registry);
  const observation = { phase: 'admit', operation: 'CREATE', rejected: false, seconds: 0.3, at: 0 } as const;
  observe({ ...observation, plugin: 'Priority' });
  observe({ ...observation, plugin: undefined });
  const lines = (await registry.expose()).text.split('\n');
  const help = 'Time a phase took, by phase, operation and whether it refused.';
  expect(lines.filter((line) => line.startsWith('# HELP apiserver_')).toSorted()).toEqual([
    '# HELP apiserver_admission_controller_admission_duration_seconds [STABLE] Time a plugin took, by plugin, phase, operation and whether it refused.',
    `# HELP apiserver_admission_step_admission_duration_seconds [STABLE] ${help}`,
    `# HELP apiserver_admission_step_admission_duration_seconds_summary [ALPHA] ${help}`,
  ]);
});
