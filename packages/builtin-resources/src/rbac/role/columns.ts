import type { Column } from '@apiserver/apiserver-contracts';
import { defaultColumns } from '@apiserver/resource-kit';

/** Upstream has no printer for this kind. */
export const roleColumns: readonly Column[] = defaultColumns;
