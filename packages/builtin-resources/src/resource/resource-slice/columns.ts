import type { ResourceSlice } from '@apiserver/api/resource/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

const SPEC = 'io.k8s.api.resource.v1.ResourceSliceSpec';
const POOL = 'io.k8s.api.resource.v1.ResourcePool';

/** Upstream: printResourceSlice of pkg/printers/internalversion/printers.go */
export const resourceSliceColumns: readonly Column<ResourceSlice>[] = [
  nameColumn,
  describedColumn('Node', [SPEC, 'nodeName'], ({ spec }) => spec.nodeName ?? ''),
  describedColumn('Driver', [SPEC, 'driver'], ({ spec }) => spec.driver),
  describedColumn('Pool', [POOL, 'name'], ({ spec }) => spec.pool.name),
  ageColumn,
];
