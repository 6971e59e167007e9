import { PodGroup } from '@apiserver/api/scheduling/v1alpha2';
import { defineResource } from '@apiserver/resource-kit';
import { podGroupColumns } from './columns.js';
import { applyPodGroupDefaults } from './defaults.js';
import { podGroupStatusStrategy, podGroupStrategy } from './strategy.js';

/** PodGroups: pods that are scheduled together. */
export const podGroups = defineResource<PodGroup>({
  versions: [{ schema: PodGroup, applyDefaults: applyPodGroupDefaults }],
  strategy: podGroupStrategy,
  columns: podGroupColumns,
  subresources: { status: { strategy: podGroupStatusStrategy } },
});
