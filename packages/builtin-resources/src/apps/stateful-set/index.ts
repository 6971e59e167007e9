import type { StatefulSet } from '@apiserver/api/apps/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { type ContainerPolicy, withContainerPolicy } from '../../core/pod-spec/security/container-policy.js';
import { statefulSetDefinition } from './definition.js';

/** Dependencies of StatefulSets on their server. */
export interface StatefulSetDependencies {
  readonly features: FeatureGates;
  readonly containers: ContainerPolicy;
}

/** StatefulSets: pods with stable names and their own volumes. Upstream: pkg/registry/apps/statefulset */
export function statefulSets({ features, containers }: StatefulSetDependencies): ResourceDefinition<StatefulSet> {
  const maxUnavailable = features.enabled('MaxUnavailableStatefulSet');
  return withContainerPolicy((pods) => statefulSetDefinition({ maxUnavailable, pods }), containers);
}
