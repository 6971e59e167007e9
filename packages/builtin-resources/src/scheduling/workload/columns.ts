import type { Column } from '@apiserver/apiserver-contracts';
import { defaultColumns } from '@apiserver/resource-kit';

/** No source of 1.36 with a printer for this kind was available. */
export const workloadColumns: readonly Column[] = defaultColumns;
