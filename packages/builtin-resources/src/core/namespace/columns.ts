import type { Namespace } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printNamespace of pkg/printers/internalversion/printers.go */
export const namespaceColumns: readonly Column<Namespace>[] = [
  nameColumn,
  {
    name: 'Status',
    type: 'string',
    format: '',
    description: 'The status of the namespace',
    priority: 0,
    cell: ({ status }) => status.phase ?? '',
  },
  ageColumn,
];
