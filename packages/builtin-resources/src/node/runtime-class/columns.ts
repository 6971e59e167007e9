import type { RuntimeClass } from '@apiserver/api/node/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printRuntimeClass of pkg/printers/internalversion/printers.go */
export const runtimeClassColumns: readonly Column<RuntimeClass>[] = [
  nameColumn,
  {
    name: 'Handler',
    type: 'string',
    format: '',
    description: '',
    describedBy: { definition: 'io.k8s.api.node.v1.RuntimeClass', field: 'handler' },
    priority: 0,
    cell: ({ handler }) => handler,
  },
  ageColumn,
];
