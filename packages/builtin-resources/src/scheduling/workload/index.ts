import { Workload } from '@apiserver/api/scheduling/v1alpha2';
import { defineResource } from '@apiserver/resource-kit';
import { workloadColumns } from './columns.js';
import { workloadStrategy } from './strategy.js';

/** Workloads: templates of the groups of pods that make up an application. */
export const workloads = defineResource<Workload>({
  versions: [{ schema: Workload }],
  strategy: workloadStrategy,
  columns: workloadColumns,
});
