import { Pod } from '@apiserver/api/core/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import type { WallClock } from '../../builtin-group.js';
import type { ConnectionOptions } from '../connect/connections.js';
import { withPodConnections } from '../connect/with-connections.js';
import type { PodFeatures } from '../pod-spec/pod-features.js';
import { type ContainerPolicy, withContainerPolicy } from '../pod-spec/security/container-policy.js';
import { podBinding } from './binding.js';
import { podColumns, podRowConditions } from './columns.js';
import { applyPodDefaults, normalizePod } from './defaults.js';
import { ephemeralContainersStrategy } from './ephemeral-containers.js';
import { type EvictionOptions, withEviction } from './eviction.js';
import { withGatedCondition } from './prepare.js';
import { podResizeStrategy } from './resize.js';
import { POD_FIELD_LABELS, POD_FIELD_NAMES, podFields } from './selectable-fields.js';
import { podStatusStrategy, podStrategy } from './strategy.js';

/**
 * Pods: containers that run together on a node.
 * Upstream: pkg/registry/core/pod
 */
export function podDefinition(features: PodFeatures): ResourceDefinition<Pod> {
  const strategy = podStrategy(features);
  return defineResource<Pod>({
    shortNames: ['po'],
    categories: ['all'],
    versions: [{ schema: Pod, applyDefaults: (pod) => applyPodDefaults(pod, features), normalize: normalizePod }],
    strategy,
    columns: podColumns,
    rowConditions: podRowConditions,
    subresources: {
      binding: podBinding(strategy, features),
      ephemeralcontainers: { strategy: ephemeralContainersStrategy(strategy, features) },
      resize: { strategy: podResizeStrategy(strategy, features) },
      status: { strategy: podStatusStrategy(strategy, features) },
    },
    selectableFieldNames: POD_FIELD_NAMES,
    selectableFieldLabels: POD_FIELD_LABELS,
    selectableFields: podFields,
    indexedField: 'spec.nodeName',
    returnDeletedObject: true,
  });
}

/** Dependencies of pods on their server. */
export interface PodDependencies {
  readonly containers: ContainerPolicy;
  readonly evictions: EvictionOptions;
  readonly connections: ConnectionOptions;
  readonly clock: WallClock;
}

/** The kind for one server, with its clock, container policy, evictions and connections to pods. */
export function pods({ containers, evictions, connections, clock }: PodDependencies): ResourceDefinition<Pod> {
  const allowed = withContainerPolicy((features) => withGatedCondition(podDefinition(features), clock), containers);
  return withPodConnections(withEviction(allowed, evictions), connections);
}
