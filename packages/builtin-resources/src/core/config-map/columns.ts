import type { ConfigMap } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printConfigMap of pkg/printers/internalversion/printers.go */
export const configMapColumns: readonly Column<ConfigMap>[] = [
  nameColumn,
  // A number despite the column's type, as upstream.
  describedColumn(
    'Data',
    ['io.k8s.api.core.v1.ConfigMap', 'data'],
    ({ data, binaryData }) => Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
  ),
  ageColumn,
];
