import type { ResourceSlice } from '@apiserver/api/resource/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '../../columns/common-columns.js';

const SPEC = 'io.k8s.api.resource.v1.ResourceSliceSpec';
const POOL = 'io.k8s.api.resource.v1.ResourcePool';

function column(
  name: string,
  describedBy: { readonly definition: string; readonly field: string },
  cell: Column<ResourceSlice>['cell'],
): Column<ResourceSlice> {
  return { name, type: 'string', format: '', description: '', describedBy, priority: 0, cell };
}

/** Upstream: printResourceSlice of pkg/printers/internalversion/printers.go */
export const resourceSliceColumns: readonly Column<ResourceSlice>[] = [
  nameColumn,
  column('Node', { definition: SPEC, field: 'nodeName' }, ({ spec }) => spec.nodeName ?? ''),
  column('Driver', { definition: SPEC, field: 'driver' }, ({ spec }) => spec.driver),
  column('Pool', { definition: POOL, field: 'name' }, ({ spec }) => spec.pool.name),
  ageColumn,
];
