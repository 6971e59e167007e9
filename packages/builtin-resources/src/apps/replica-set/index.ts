import { ReplicaSet } from '@apiserver/api/apps/v1';
import { labelSelectorAsSelector } from '@apiserver/apimachinery/selectors';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource, scaleSubresource } from '@apiserver/resource-kit';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import { normalizePodTemplate } from '../../core/pod-spec/pod-spec-defaults.js';
import { type ContainerPolicy, withContainerPolicy } from '../../core/pod-spec/security/container-policy.js';
import { replicaSetColumns } from './columns.js';
import { applyReplicaSetDefaults } from './defaults.js';
import { replicaSetStrategies } from './strategy.js';

/** ReplicaSets: a number of pods from a template. Upstream: pkg/registry/apps/replicaset */
export function replicaSetDefinition(features: PodFeatures, gates: FeatureGates): ResourceDefinition<ReplicaSet> {
  const { main, status } = replicaSetStrategies(features, gates);
  return defineResource<ReplicaSet>({
    shortNames: ['rs'],
    categories: ['all'],
    versions: [
      {
        schema: ReplicaSet,
        applyDefaults: applyReplicaSetDefaults,
        normalize: ({ spec }) => normalizePodTemplate(spec.template),
      },
    ],
    strategy: main,
    columns: replicaSetColumns,
    subresources: {
      scale: scaleSubresource<ReplicaSet>({
        resource: { group: 'apps', resource: 'replicasets' },
        strategy: main,
        selectorText: ({ spec }) => labelSelectorAsSelector(spec.selector).toString(),
      }),
      status: { strategy: status },
    },
  });
}

/** The kind for one server. */
export function replicaSets(policy: ContainerPolicy, gates: FeatureGates): ResourceDefinition<ReplicaSet> {
  return withContainerPolicy((features) => replicaSetDefinition(features, gates), policy);
}
