import type { Secret } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

function column(name: string, field: string, cell: Column<Secret>['cell']): Column<Secret> {
  const describedBy = { definition: 'io.k8s.api.core.v1.Secret', field };
  return { name, type: 'string', format: '', description: '', describedBy, priority: 0, cell };
}

/** Upstream: printSecret of pkg/printers/internalversion/printers.go */
export const secretColumns: readonly Column<Secret>[] = [
  nameColumn,
  column('Type', 'type', ({ type }) => type ?? ''),
  // A number despite the column's type, as upstream.
  column('Data', 'data', ({ data }) => Object.keys(data ?? {}).length),
  ageColumn,
];
