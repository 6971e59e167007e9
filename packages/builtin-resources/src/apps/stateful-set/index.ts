import type { StatefulSet } from '@apiserver/api/apps/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { type ContainerPolicy, withContainerPolicy } from '../../core/pod-spec/security/container-policy.js';
import { statefulSetDefinition } from './definition.js';

/** StatefulSets: pods with stable names and their own volumes. Upstream: pkg/registry/apps/statefulset */
export const statefulSetDeclaration = statefulSetDefinition({ maxUnavailable: false });

/** Dependencies of StatefulSets on their server. */
export interface StatefulSetDependencies {
  readonly features: FeatureGates;
  readonly containers: ContainerPolicy;
}

/** The kind for one server. */
export function statefulSets({ features, containers }: StatefulSetDependencies): ResourceDefinition<StatefulSet> {
  const maxUnavailable = features.enabled('MaxUnavailableStatefulSet');
  return withContainerPolicy(
    maxUnavailable ? statefulSetDefinition({ maxUnavailable }) : statefulSetDeclaration,
    containers,
  );
}
