import type { CronJob } from '@apiserver/api/batch/v1';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { DEFAULT_POD_FEATURES } from '../../core/pod-spec/pod-features.js';
import { cronJobStrategies } from './strategy.js';

const { main: cronJobStrategy, status: cronJobStatusStrategy } = cronJobStrategies(DEFAULT_POD_FEATURES);

const context = testContext({ namespace: 'ns' });

const cronJob = (schedule: string, annotations: Record<string, string> = {}): CronJob => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'a', namespace: 'ns', resourceVersion: '1', generation: 1, annotations },
  spec: { schedule, jobTemplate: { metadata: {}, spec: { template: { metadata: {}, spec: { containers: [] } } } } },
  status: {},
});

const ZONE =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';

it.each([
  ['TZ=UTC 0 0 * * *', [ZONE]],
  ['0 0 * * *', []],
])('an update with the schedule %j has the warnings %j', (schedule, warnings) => {
  const updated = cronJob(schedule);
  expect(cronJobStrategy.warningsOnUpdate?.(context, updated, cronJob(schedule))).toEqual(warnings);
  expect(cronJobStatusStrategy.warningsOnUpdate?.(context, updated, cronJob(schedule))).toEqual([]);
});

it.each([
  [26, false],
  [27, true],
])('measures the name in bytes: %j letters of two', (count, isLong) => {
  const named = cronJob('0 0 * * *');
  named.metadata.name = 'é'.repeat(count);
  const details = cronJobStrategy.validate(context, named).map(({ detail }) => detail);
  expect(details.includes('must be no more than 52 characters')).toBe(isLong);
});

it('does not validate an update of the status', async () => {
  const invalid = cronJob('0 0 * * *', { '-': '' });
  expect(await cronJobStatusStrategy.validateUpdate(context, invalid, cronJob('0 0 * * *'))).toEqual([]);
});
