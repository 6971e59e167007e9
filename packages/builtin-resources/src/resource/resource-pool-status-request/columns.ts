import type { ResourcePoolStatusRequest } from '@apiserver/api/resource/v1alpha3';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printResourcePoolStatusRequest of pkg/printers/internalversion/printers.go, as it was first proposed */
export const resourcePoolStatusRequestColumns: readonly Column<ResourcePoolStatusRequest>[] = [
  nameColumn,
  column('Driver', 'The driver to query pools for.', ({ spec }) => spec.driver),
  column('Pools', 'Total number of matching pools.', ({ status }) => status?.poolCount ?? 0, { type: 'integer' }),
  column('Status', 'Processing status (Complete, Pending).', ({ status }) =>
    (status?.conditions ?? []).some((condition) => condition.type === 'Complete' && condition.status === 'True')
      ? 'Complete'
      : 'Pending',
  ),
  ageColumn,
];
