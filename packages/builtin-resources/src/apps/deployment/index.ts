import { Deployment } from '@apiserver/api/apps/v1';
import { normalizePodTemplate } from '../../core/pod-spec/pod-spec-defaults.js';
import { defineResource } from '../../define-resource.js';
import { deploymentColumns } from './columns.js';
import { applyDeploymentDefaults } from './defaults.js';
import { deploymentStatusStrategy, deploymentStrategy } from './strategy.js';

/**
 * Deployments: so many pods of a template, brought to a new one step by step.
 * Upstream: pkg/registry/apps/deployment
 */
export const deployments = defineResource<Deployment>({
  shortNames: ['deploy'],
  categories: ['all'],
  versions: [
    {
      schema: Deployment,
      applyDefaults: applyDeploymentDefaults,
      normalize: ({ spec }) => normalizePodTemplate(spec.template),
    },
  ],
  strategy: deploymentStrategy,
  columns: deploymentColumns,
  subresources: { status: { strategy: deploymentStatusStrategy } },
});
