import type { Lease } from '@apiserver/api/coordination/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printLease of pkg/printers/internalversion/printers.go */
export const leaseColumns: readonly Column<Lease>[] = [
  nameColumn,
  describedColumn(
    'Holder',
    ['io.k8s.api.coordination.v1.LeaseSpec', 'holderIdentity'],
    ({ spec }) => spec.holderIdentity ?? '',
  ),
  ageColumn,
];
