import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, it } from 'vitest';
import { admissionMetrics } from './admission-metrics.js';

it('counts how long plugins and phases take', async () => {
  const registry = new MetricsRegistry();
  const { now, observe } = admissionMetrics(registry);
  expect(now()).toBeLessThanOrEqual(now());
  const observation = { phase: 'admit', operation: 'CREATE', rejected: false, seconds: 0.02 } as const;
  observe({ ...observation, plugin: 'Priority' });
  observe({ ...observation, plugin: 'Priority' });
  observe({ ...observation, plugin: undefined, rejected: true });
  const lines = (await registry.expose()).text.split('\n').filter((line) => line.includes('_admission_duration'));
  expect(lines.filter((line) => line.includes('0.025') || line.includes('_count'))).toEqual([
    'apiserver_admission_controller_admission_duration_seconds_bucket{name="Priority",type="admit",operation="CREATE",rejected="false",le="0.025"} 2',
    'apiserver_admission_controller_admission_duration_seconds_count{name="Priority",type="admit",operation="CREATE",rejected="false"} 2',
    'apiserver_admission_step_admission_duration_seconds_bucket{type="admit",operation="CREATE",rejected="true",le="0.025"} 1',
    'apiserver_admission_step_admission_duration_seconds_count{type="admit",operation="CREATE",rejected="true"} 1',
  ]);
});
