import { CronJob } from '@apiserver/api/batch/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import { normalizePodTemplate } from '../../core/pod-spec/pod-spec-defaults.js';
import { type ContainerPolicy, withContainerPolicy } from '../../core/pod-spec/security/container-policy.js';
import { cronJobColumns } from './columns.js';
import { applyCronJobDefaults } from './defaults.js';
import { cronJobStrategies } from './strategy.js';

/** CronJobs: create jobs on a schedule. Upstream: pkg/registry/batch/cronjob */
function cronJobDefinition(features: PodFeatures): ResourceDefinition<CronJob> {
  const { main, status } = cronJobStrategies(features);
  return defineResource<CronJob>({
    shortNames: ['cj'],
    categories: ['all'],
    versions: [
      {
        schema: CronJob,
        applyDefaults: applyCronJobDefaults,
        normalize: ({ spec }) => normalizePodTemplate(spec.jobTemplate.spec.template),
      },
    ],
    strategy: main,
    columns: cronJobColumns,
    subresources: { status: { strategy: status } },
  });
}

/** The kind for one server. */
export function cronJobs(policy: ContainerPolicy): ResourceDefinition<CronJob> {
  return withContainerPolicy(cronJobDefinition, policy);
}
