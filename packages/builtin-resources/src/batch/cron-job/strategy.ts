import { type CronJob, CronJobSpec } from '@apiserver/api/batch/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import { podNameWarnings } from '../../workload/name-warnings.js';
import type { Strategies } from '../../workload/strategies.js';
import { jobSpecWarnings } from '../job/spec-warnings.js';
import { validateCronJob, validateCronJobUpdate } from './validation.js';

const JOB_SPEC = FieldPath.of('spec', 'jobTemplate', 'spec');
/** Upstream repeats "spec". */
const ZONE_WARNING =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';

/** Upstream: pkg/registry/batch/cronjob/strategy.go */
export function cronJobStrategies(features: PodFeatures): Strategies<CronJob> {
  const main: Strategy<CronJob> = {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    defaultGarbageCollectionPolicy: 'Background',
    resetFields: ['status'],
    prepareForCreate(_context, cronJob) {
      cronJob.status = {};
      cronJob.metadata.generation = 1;
    },
    validate: (_context, cronJob) => validateCronJob(cronJob, features),
    warningsOnCreate: (_context, { metadata, spec }) => [
      ...podNameWarnings(metadata),
      ...jobSpecWarnings(spec.jobTemplate.spec, JOB_SPEC),
    ],
    prepareForUpdate(_context, cronJob, old) {
      cronJob.status = cloneJson(old.status);
      countSpecChange(cronJob, old, CronJobSpec);
    },
    validateUpdate: (_context, cronJob, old) => validateCronJobUpdate(cronJob, old, features),
    warningsOnUpdate: (_context, { metadata, spec }, old) => [
      ...(metadata.generation === old.metadata.generation ? [] : jobSpecWarnings(spec.jobTemplate.spec, JOB_SPEC)),
      ...(spec.schedule.includes('TZ') ? [ZONE_WARNING] : []),
    ],
  };
  return { main, status: statusStrategy(main) };
}

function statusStrategy(main: Strategy<CronJob>): Strategy<CronJob> {
  return {
    ...main,
    resetFields: ['spec'],
    prepareForUpdate(_context, cronJob, old) {
      cronJob.spec = cloneJson(old.spec);
    },
    // A status is not validated; metadata only by the rules of every kind.
    validateUpdate: () => [],
    warningsOnUpdate: () => [],
  };
}
