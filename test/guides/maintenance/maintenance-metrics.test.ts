import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, it } from 'vitest';
import { createMaintenanceMetrics } from './maintenance-metrics.js';

it('counts refused writes by verb', async () => {
  const registry = new MetricsRegistry();
  const metrics = createMaintenanceMetrics(registry);
  for (const verb of ['create', 'create', 'delete']) metrics.refused(verb);
  const { text } = await registry.expose();
  expect(text.split('\n').filter((line) => line.includes('maintenance'))).toEqual([
    '# HELP maintenance_refused_requests_total [ALPHA] Writes that were refused for maintenance, by verb.',
    '# TYPE maintenance_refused_requests_total counter',
    'maintenance_refused_requests_total{verb="create"} 2',
    'maintenance_refused_requests_total{verb="delete"} 1',
  ]);
});
