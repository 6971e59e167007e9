import type { Lease } from '@apiserver/api/coordination/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printLease of pkg/printers/internalversion/printers.go */
export const leaseColumns: readonly Column<Lease>[] = [
  nameColumn,
  {
    name: 'Holder',
    type: 'string',
    format: '',
    description: '',
    describedBy: { definition: 'io.k8s.api.coordination.v1.LeaseSpec', field: 'holderIdentity' },
    priority: 0,
    cell: ({ spec }) => spec.holderIdentity ?? '',
  },
  ageColumn,
];
