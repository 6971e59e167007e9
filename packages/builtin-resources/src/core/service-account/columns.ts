import type { ServiceAccount } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printServiceAccount of pkg/printers/internalversion/printers.go */
export const serviceAccountColumns: readonly Column<ServiceAccount>[] = [
  nameColumn,
  // A number despite the column's type, as upstream.
  describedColumn('Secrets', ['io.k8s.api.core.v1.ServiceAccount', 'secrets'], ({ secrets }) => (secrets ?? []).length),
  ageColumn,
];
