import type { CronJob } from '@apiserver/api/batch/v1';
import { applyJobSpecDefaults } from '../job/defaults.js';

const SUCCESSFUL_KEPT = 3;
const FAILED_KEPT = 1;

/**
 * The job template gets no defaults before a job is created. Mutates.
 * Upstream: SetDefaults_CronJob of pkg/apis/batch/v1/defaults.go
 */
export function applyCronJobDefaults({ spec }: CronJob): void {
  spec.concurrencyPolicy ||= 'Allow';
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= SUCCESSFUL_KEPT;
  spec.failedJobsHistoryLimit ??= FAILED_KEPT;
  applyJobSpecDefaults(spec.jobTemplate.spec);
}
