import { Workload } from '@apiserver/api/scheduling/v1alpha2';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import type { GroupFeatures } from '../scheduling-fields.js';
import { workloadColumns } from './columns.js';
import { workloadStrategy } from './strategy.js';

/** Workloads: templates of the groups of pods that make up an application. */
export function workloads(features: GroupFeatures): ResourceDefinition<Workload> {
  return defineResource<Workload>({
    versions: [{ schema: Workload }],
    strategy: workloadStrategy(features),
    columns: workloadColumns,
  });
}
