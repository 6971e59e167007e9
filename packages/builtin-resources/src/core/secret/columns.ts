import type { Secret } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

const DEFINITION = 'io.k8s.api.core.v1.Secret';

/** Upstream: printSecret of pkg/printers/internalversion/printers.go */
export const secretColumns: readonly Column<Secret>[] = [
  nameColumn,
  describedColumn('Type', [DEFINITION, 'type'], ({ type }) => type ?? ''),
  // A number despite the column's type, as upstream.
  describedColumn('Data', [DEFINITION, 'data'], ({ data }) => Object.keys(data ?? {}).length),
  ageColumn,
];
