import { Deployment } from '@apiserver/api/apps/v1';
import { labelSelectorAsSelector } from '@apiserver/apimachinery/selectors';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource, scaleSubresource } from '@apiserver/resource-kit';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import { normalizePodTemplate } from '../../core/pod-spec/pod-spec-defaults.js';
import { type ContainerPolicy, withContainerPolicy } from '../../core/pod-spec/security/container-policy.js';
import { deploymentColumns } from './columns.js';
import { applyDeploymentDefaults } from './defaults.js';
import { deploymentStrategies } from './strategy.js';

/** Deployments: a number of pods from a template, with rolling updates. Upstream: pkg/registry/apps/deployment */
function deploymentDefinition(features: PodFeatures, gates: FeatureGates): ResourceDefinition<Deployment> {
  const { main, status } = deploymentStrategies(features, gates);
  return defineResource<Deployment>({
    shortNames: ['deploy'],
    categories: ['all'],
    versions: [
      {
        schema: Deployment,
        applyDefaults: applyDeploymentDefaults,
        normalize: ({ spec }) => normalizePodTemplate(spec.template),
      },
    ],
    strategy: main,
    columns: deploymentColumns,
    subresources: {
      scale: scaleSubresource<Deployment>({
        resource: { group: 'apps', resource: 'deployments' },
        strategy: main,
        selectorText: ({ spec }) => labelSelectorAsSelector(spec.selector).toString(),
      }),
      status: { strategy: status },
    },
  });
}

/** The kind for one server. */
export function deployments(policy: ContainerPolicy, gates: FeatureGates): ResourceDefinition<Deployment> {
  return withContainerPolicy((features) => deploymentDefinition(features, gates), policy);
}
