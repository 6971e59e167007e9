import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

/** Upstream: printWorkload of pkg/printers/internalversion/printers.go */
export const workloadColumns: readonly Column[] = [nameColumn, ageColumn];
