import type { ServiceAccount } from '@apiserver/api/core/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

/** Secrets are not counted since 1.35. Upstream: printServiceAccount of pkg/printers/internalversion/printers.go */
export const serviceAccountColumns: readonly Column<ServiceAccount>[] = [nameColumn, ageColumn];
