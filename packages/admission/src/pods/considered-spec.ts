import type { PodSpec } from '@apiserver/api/core/v1';
import type { FeatureGates } from '@apiserver/apiserver-contracts';

/** Returns the part of a spec that counts. */
export type ConsideredSpec = (spec: PodSpec) => PodSpec;

/** Without the feature PodLevelResources, a stored pod may still have resources of its own, but they do not count. */
export function consideredSpec(features: FeatureGates): ConsideredSpec {
  return features.enabled('PodLevelResources') ? (spec) => spec : ({ resources: _resources, ...spec }) => spec;
}
