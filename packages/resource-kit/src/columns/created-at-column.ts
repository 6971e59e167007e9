import type { Column } from '@apiserver/apiserver-contracts';
import { nameColumn } from './common-columns.js';

/** The creation time of an object. */
const createdAtColumn: Column = {
  name: 'Created At',
  type: 'date',
  format: '',
  description: '',
  describedBy: { definition: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', field: 'creationTimestamp' },
  priority: 0,
  cell: ({ metadata }) => metadata.creationTimestamp ?? '0001-01-01T00:00:00Z',
};

/** The columns of kinds without a printer upstream. Upstream: NewDefaultTableConvertor of k8s.io/apiserver */
export const defaultColumns: readonly Column[] = [nameColumn, createdAtColumn];
