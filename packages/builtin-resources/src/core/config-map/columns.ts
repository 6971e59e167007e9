import type { ConfigMap } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printConfigMap of pkg/printers/internalversion/printers.go */
export const configMapColumns: readonly Column<ConfigMap>[] = [
  nameColumn,
  {
    name: 'Data',
    type: 'string',
    format: '',
    description: '',
    describedBy: { definition: 'io.k8s.api.core.v1.ConfigMap', field: 'data' },
    priority: 0,
    // A number despite the column's type, as upstream.
    cell: ({ data, binaryData }) => Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
  },
  ageColumn,
];
