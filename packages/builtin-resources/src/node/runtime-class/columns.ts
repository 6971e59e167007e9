import type { RuntimeClass } from '@apiserver/api/node/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printRuntimeClass of pkg/printers/internalversion/printers.go */
export const runtimeClassColumns: readonly Column<RuntimeClass>[] = [
  nameColumn,
  describedColumn('Handler', ['io.k8s.api.node.v1.RuntimeClass', 'handler'], ({ handler }) => handler),
  ageColumn,
];
