import { CronJob } from '@apiserver/api/batch/v1';
import { defineResource } from '@apiserver/resource-kit';
import { normalizePodTemplate } from '../../core/pod-spec/pod-spec-defaults.js';
import { cronJobColumns } from './columns.js';
import { applyCronJobDefaults } from './defaults.js';
import { cronJobStatusStrategy, cronJobStrategy } from './strategy.js';

/**
 * CronJobs: jobs that are made again and again by a schedule.
 * Upstream: pkg/registry/batch/cronjob
 */
export const cronJobs = defineResource<CronJob>({
  shortNames: ['cj'],
  categories: ['all'],
  versions: [
    {
      schema: CronJob,
      applyDefaults: applyCronJobDefaults,
      normalize: ({ spec }) => normalizePodTemplate(spec.jobTemplate.spec.template),
    },
  ],
  strategy: cronJobStrategy,
  columns: cronJobColumns,
  subresources: { status: { strategy: cronJobStatusStrategy } },
});
