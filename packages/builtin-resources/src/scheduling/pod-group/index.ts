import { PodGroup } from '@apiserver/api/scheduling/v1alpha2';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import type { GroupFeatures } from '../scheduling-fields.js';
import { podGroupColumns } from './columns.js';
import { applyPodGroupDefaults } from './defaults.js';
import { podGroupStatusStrategy, podGroupStrategy } from './strategy.js';

/** PodGroups: pods that are scheduled together. */
export function podGroups(features: GroupFeatures): ResourceDefinition<PodGroup> {
  const strategy = podGroupStrategy(features);
  return defineResource<PodGroup>({
    versions: [{ schema: PodGroup, applyDefaults: applyPodGroupDefaults }],
    strategy,
    columns: podGroupColumns,
    subresources: { status: { strategy: podGroupStatusStrategy(strategy) } },
  });
}
