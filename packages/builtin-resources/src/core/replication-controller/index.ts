import { ReplicationController } from '@apiserver/api/core/v1';
import { labelSelectorFromSet } from '@apiserver/apimachinery/selectors';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource, scaleSubresource } from '@apiserver/resource-kit';
import type { PodFeatures } from '../pod-spec/pod-features.js';
import { normalizePodTemplate } from '../pod-spec/pod-spec-defaults.js';
import { type ContainerPolicy, withContainerPolicy } from '../pod-spec/security/container-policy.js';
import { replicationControllerColumns } from './columns.js';
import { applyReplicationControllerDefaults } from './defaults.js';
import { replicationControllerStrategies } from './strategy.js';

/**
 * ReplicationControllers: a number of pods from a template. ReplicaSets replace them.
 * Upstream: pkg/registry/core/replicationcontroller
 */
function replicationControllerDefinition(features: PodFeatures): ResourceDefinition<ReplicationController> {
  const { main, status } = replicationControllerStrategies(features);
  return defineResource<ReplicationController>({
    shortNames: ['rc'],
    categories: ['all'],
    versions: [
      {
        schema: ReplicationController,
        applyDefaults: applyReplicationControllerDefaults,
        normalize: ({ spec }) => normalizePodTemplate(spec.template),
      },
    ],
    keyPrefix: 'controllers',
    strategy: main,
    columns: replicationControllerColumns,
    subresources: {
      scale: scaleSubresource<ReplicationController>({
        resource: { group: '', resource: 'replicationcontrollers' },
        scaleGroup: 'autoscaling',
        strategy: main,
        selectorText: ({ spec }) => labelSelectorFromSet(spec.selector ?? {}).toString(),
      }),
      status: { strategy: status },
    },
    selectableFieldNames: ['status.replicas'],
    selectableFields: ({ status }) => ({ 'status.replicas': String(status.replicas) }),
  });
}

/** The kind for one server. */
export function replicationControllers(policy: ContainerPolicy): ResourceDefinition<ReplicationController> {
  return withContainerPolicy(replicationControllerDefinition, policy);
}
