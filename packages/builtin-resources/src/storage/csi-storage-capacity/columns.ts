import type { CSIStorageCapacity } from '@apiserver/api/storage/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { nameColumn } from '../../columns/common-columns.js';
import { describedColumn } from '../../columns/make-column.js';

const DEFINITION = 'io.k8s.api.storage.v1.CSIStorageCapacity';

/** No age. Upstream: printCSIStorageCapacity of pkg/printers/internalversion/printers.go */
export const csiStorageCapacityColumns: readonly Column<CSIStorageCapacity>[] = [
  nameColumn,
  describedColumn('StorageClassName', [DEFINITION, 'storageClassName'], ({ storageClassName }) => storageClassName),
  describedColumn('Capacity', [DEFINITION, 'capacity'], ({ capacity }) => capacity ?? '<unset>'),
];
