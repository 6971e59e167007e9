import type { ServiceAccount } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printServiceAccount of pkg/printers/internalversion/printers.go */
export const serviceAccountColumns: readonly Column<ServiceAccount>[] = [
  nameColumn,
  {
    name: 'Secrets',
    type: 'string',
    format: '',
    description: '',
    describedBy: { definition: 'io.k8s.api.core.v1.ServiceAccount', field: 'secrets' },
    priority: 0,
    // A number despite the column's type, as upstream.
    cell: ({ secrets }) => (secrets ?? []).length,
  },
  ageColumn,
];
