import type { Column } from '@apiserver/apiserver-contracts';
import { defaultColumns } from '../../columns/created-at-column.js';

/** Upstream has no printer for this kind. */
export const limitRangeColumns: readonly Column[] = defaultColumns;
