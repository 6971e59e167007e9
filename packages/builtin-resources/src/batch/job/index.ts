import { Job } from '@apiserver/api/batch/v1';
import { quote } from '@apiserver/apimachinery/text';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import { normalizePodTemplate } from '../../core/pod-spec/pod-spec-defaults.js';
import { type ContainerPolicy, withContainerPolicy } from '../../core/pod-spec/security/container-policy.js';
import { jobColumns } from './columns.js';
import { applyJobDefaults } from './defaults.js';
import { jobDeletion } from './delete-warning.js';
import { jobStrategies } from './strategy.js';

/** Jobs: pods that run until their work is complete. Upstream: pkg/registry/batch/job */
export function jobDefinition(features: PodFeatures): ResourceDefinition<Job> {
  const { main, status } = jobStrategies(features);
  return defineResource<Job>({
    categories: ['all'],
    versions: [
      { schema: Job, applyDefaults: applyJobDefaults, normalize: ({ spec }) => normalizePodTemplate(spec.template) },
    ],
    strategy: main,
    columns: jobColumns,
    subresources: { status: { strategy: status } },
    storeHooks: { override: jobDeletion },
    selectableFieldNames: ['status.successful'],
    unknownFieldText: (field) => `field label ${quote(field)} not supported for batchv1.Job`,
    selectableFields: ({ status }) => ({ 'status.successful': String(status.succeeded ?? 0) }),
  });
}

/** The kind for one server. */
export function jobs(policy: ContainerPolicy): ResourceDefinition<Job> {
  return withContainerPolicy(jobDefinition, policy);
}
