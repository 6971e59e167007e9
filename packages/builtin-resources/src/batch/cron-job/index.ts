import { CronJob } from '@apiserver/api/batch/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { normalizePodTemplate } from '../../core/pod-spec/pod-spec-defaults.js';
import { type ContainerPolicy, withContainerPolicy } from '../../core/pod-spec/security/container-policy.js';
import { cronJobColumns } from './columns.js';
import { applyCronJobDefaults } from './defaults.js';
import { cronJobStatusStrategy, cronJobStrategy } from './strategy.js';

/** CronJobs: create jobs on a schedule. Upstream: pkg/registry/batch/cronjob */
const cronJobDeclaration = defineResource<CronJob>({
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

/** The kind for one server. */
export function cronJobs(policy: ContainerPolicy): ResourceDefinition<CronJob> {
  return withContainerPolicy(cronJobDeclaration, policy);
}
