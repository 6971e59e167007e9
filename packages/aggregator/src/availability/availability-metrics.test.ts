import type { APIService } from '@apiserver/api/apiregistration/v1';
import { systemClock } from '@apiserver/apimachinery/clock';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, test } from 'vitest';
import { ControlledInformer } from '../testing/controlled-informer.js';
import { AvailabilityMetrics } from './availability-metrics.js';
import { updateAvailability } from './update-availability.js';

function makeService(name: string, status: string): APIService {
  const conditions = [{ type: 'Available', status, reason: 'Passed', message: '', lastTransitionTime: null }];
  return { metadata: { name }, spec: {}, status: { conditions } } as unknown as APIService;
}

test('reports which APIServices are unavailable, and counts transitions to unavailable', async () => {
  const metrics = new MetricsRegistry();
  const informer = new ControlledInformer<APIService>();
  const availability = new AvailabilityMetrics(metrics, informer);
  const writer = {
    client: { update: async (_namespace: string, object: APIService) => object },
    clock: systemClock,
    metrics: availability,
  };
  const [up, down] = [makeService('v1.up', 'True'), makeService('v1.down', 'False')];
  const lost = { status: 'False', reason: 'MissingEndpoints', message: '' };
  await updateAvailability(writer, up, lost);
  await updateAvailability(writer, up, { ...lost, status: 'True' });
  await updateAvailability(writer, down, lost);
  for (const one of [up, down]) informer.put(one);
  const { text } = await metrics.expose();
  expect(text.split('\n').filter((line) => line.startsWith('aggregator_'))).toEqual([
    'aggregator_unavailable_apiservice{name="v1.down"} 1',
    'aggregator_unavailable_apiservice{name="v1.up"} 0',
    'aggregator_unavailable_apiservice_total{name="v1.up",reason="MissingEndpoints"} 1',
  ]);
});
