import { Deployment } from '@apiserver/api/apps/v1';
import { labelSelectorAsSelector } from '@apiserver/apimachinery/selectors';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource, scaleSubresource } from '@apiserver/resource-kit';
import { normalizePodTemplate } from '../../core/pod-spec/pod-spec-defaults.js';
import { type ContainerPolicy, withContainerPolicy } from '../../core/pod-spec/security/container-policy.js';
import { deploymentColumns } from './columns.js';
import { applyDeploymentDefaults } from './defaults.js';
import { deploymentStatusStrategy, deploymentStrategy } from './strategy.js';

/** Deployments: a number of pods from a template, with rolling updates. Upstream: pkg/registry/apps/deployment */
const deploymentDeclaration = defineResource<Deployment>({
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
  subresources: {
    scale: scaleSubresource<Deployment>({
      resource: { group: 'apps', resource: 'deployments' },
      strategy: deploymentStrategy,
      selectorText: ({ spec }) => labelSelectorAsSelector(spec.selector).toString(),
    }),
    status: { strategy: deploymentStatusStrategy },
  },
});

/** The kind for one server. */
export function deployments(policy: ContainerPolicy): ResourceDefinition<Deployment> {
  return withContainerPolicy(deploymentDeclaration, policy);
}
