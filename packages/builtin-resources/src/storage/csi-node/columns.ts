import type { CSINode } from '@apiserver/api/storage/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printCSINode of pkg/printers/internalversion/printers.go */
export const csiNodeColumns: readonly Column<CSINode>[] = [
  nameColumn,
  {
    name: 'Drivers',
    type: 'integer',
    format: '',
    description: 'Drivers indicates the number of CSI drivers registered on the node',
    priority: 0,
    cell: ({ spec }) => spec.drivers?.length ?? 0,
  },
  ageColumn,
];
