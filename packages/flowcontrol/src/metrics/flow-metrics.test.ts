import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { expect, it } from 'vitest';
import { FlowMetrics } from './flow-metrics.js';

/** Upstream: the names of k8s.io/apiserver/pkg/util/flowcontrol/metrics/metrics.go that 1.36 does not hide */
const NAMES = [
  ...['rejected_requests_total', 'dispatched_requests_total', 'priority_level_seat_utilization'],
  ...['priority_level_request_utilization', 'read_vs_write_current_requests', 'current_r', 'dispatch_r', 'latest_s'],
  ...['next_s_bounds', 'next_discounted_s_bounds', 'current_inqueue_requests', 'current_inqueue_seats'],
  ...['request_queue_length_after_enqueue', 'current_executing_requests'],
  ...['current_executing_seats', 'request_wait_duration_seconds'],
  ...['request_execution_seconds', 'watch_count_samples', 'epoch_advance_total', 'work_estimated_seats'],
  ...['request_dispatch_no_accommodation_total', 'nominal_limit_seats', 'lower_limit_seats', 'upper_limit_seats'],
  ...['demand_seats', 'demand_seats_high_watermark', 'demand_seats_average', 'demand_seats_stdev'],
  ...['demand_seats_smoothed', 'target_seats', 'seat_fair_frac', 'current_limit_seats'],
];

async function textOf(registry: MetricsRegistry): Promise<string[]> {
  return (await registry.expose()).text.split('\n').filter((line) => line.includes('apiserver_flowcontrol_'));
}

it('has the names of upstream', () => {
  const registry = new MetricsRegistry();
  new FlowMetrics(registry, () => 0);
  const names = registry.shown().flatMap(({ name }) => /^apiserver_flowcontrol_(\S+)/.exec(name)?.[1] ?? []);
  expect(names.sort()).toEqual(NAMES.toSorted());
});

it('weighs a ratio by the nanoseconds that it lasts', async () => {
  let now = 0;
  const registry = new MetricsRegistry();
  const { requestsWaiting } = new FlowMetrics(registry, () => now).level('a');
  requestsWaiting.setDenominator(10, 0);
  requestsWaiting.add(5, 2);
  requestsWaiting.add(-4, 3);
  now = 3.5;
  const lines = await textOf(registry);
  const value = (name: string) =>
    lines
      .find((line) => line.startsWith(`apiserver_flowcontrol_priority_level_request_utilization_${name}`))
      ?.split(' ')[1];
  const labels = 'phase="waiting",priority_level="a"';
  expect([value(`sum{${labels}}`), value(`count{${labels}}`)]).toEqual(['550000', '3.5e+06']);
});

it('observes a level once that was deleted and made again', async () => {
  let now = 0;
  const registry = new MetricsRegistry();
  const metrics = new FlowMetrics(registry, () => now);
  const first = metrics.level('a').seatDemand;
  expect(metrics.level('a').seatDemand).toBe(first);
  now = 2;
  const lines = await textOf(registry);
  expect(lines).toContain('apiserver_flowcontrol_demand_seats_count{priority_level="a"} 2e+06');
});

it('shows a flow and dispatches of a level from their first observation', async () => {
  const registry = new MetricsRegistry();
  const metrics = new FlowMetrics(registry, () => 0);
  const [flow, level] = [metrics.flow('a', 's'), metrics.level('a')];
  const shown = async () => {
    const lines = (await textOf(registry)).filter(
      (line) => !line.startsWith('#') && line.includes('priority_level="a"'),
    );
    const names = lines.map((line) =>
      line.slice('apiserver_flowcontrol_'.length).replace(/(_bucket|_sum|_count)?\{.*/, ''),
    );
    return [...new Set(names)].filter((name) => !name.startsWith('priority_level_') && name !== 'demand_seats');
  };
  const before = await shown();
  const values = ['inQueueRequests', 'inQueueSeats', 'executingRequests', 'executingSeats', 'dispatched'] as const;
  for (const name of [...values, 'noAccommodation'] as const) flow[name].value++;
  const lengths = ['queueLength', 'estimatedSeats', 'watchCount', 'executionSeconds', 'watchInitSeconds'] as const;
  for (const name of [...lengths, 'waitSeconds', 'waitSecondsOfRejected'] as const) flow[name].observe(1);
  flow.rejected('time-out');
  const flowNames = await shown();
  level.latestS.value = 1;
  level.epochAdvances.value++;
  const dispatches = ['dispatch_r', 'latest_s', 'next_s_bounds', 'next_discounted_s_bounds', 'epoch_advance_total'];
  const names = [
    ...['current_inqueue_requests', 'current_inqueue_seats', 'current_executing_requests', 'current_executing_seats'],
    ...['dispatched_requests_total', 'request_dispatch_no_accommodation_total', 'request_queue_length_after_enqueue'],
    ...['work_estimated_seats', 'watch_count_samples', 'request_execution_seconds', 'request_wait_duration_seconds'],
    'rejected_requests_total',
  ];
  expect([before, flowNames.toSorted(), (await shown()).toSorted()]).toEqual([
    ['current_r'],
    ['current_r', ...names].toSorted(),
    ['current_r', ...names, ...dispatches].toSorted(),
  ]);
});
