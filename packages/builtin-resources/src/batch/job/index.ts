import { Job } from '@apiserver/api/batch/v1';
import { quote } from '@apiserver/apimachinery/text';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { normalizePodTemplate } from '../../core/pod-spec/pod-spec-defaults.js';
import { type ContainerPolicy, withContainerPolicy } from '../../core/pod-spec/security/container-policy.js';
import { jobColumns } from './columns.js';
import { applyJobDefaults } from './defaults.js';
import { jobDeletion } from './delete-warning.js';
import { jobStatusStrategy, jobStrategy } from './strategy.js';

/** Jobs: pods that run until their work is complete. Upstream: pkg/registry/batch/job */
export const jobDeclaration = defineResource<Job>({
  categories: ['all'],
  versions: [
    { schema: Job, applyDefaults: applyJobDefaults, normalize: ({ spec }) => normalizePodTemplate(spec.template) },
  ],
  strategy: jobStrategy,
  columns: jobColumns,
  subresources: { status: { strategy: jobStatusStrategy } },
  storeHooks: { override: jobDeletion },
  selectableFieldNames: ['status.successful'],
  unknownFieldText: (field) => `field label ${quote(field)} not supported for batchv1.Job`,
  selectableFields: ({ status }) => ({ 'status.successful': String(status.succeeded ?? 0) }),
});

/** The kind for one server. */
export function jobs(policy: ContainerPolicy): ResourceDefinition<Job> {
  return withContainerPolicy(jobDeclaration, policy);
}
