import type { CSIStorageCapacity } from '@apiserver/api/storage/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { describedColumn, nameColumn } from '@apiserver/resource-kit';

const DEFINITION = 'io.k8s.api.storage.v1.CSIStorageCapacity';

/** Has no age. Upstream: printCSIStorageCapacity of pkg/printers/internalversion/printers.go */
export const csiStorageCapacityColumns: readonly Column<CSIStorageCapacity>[] = [
  nameColumn,
  describedColumn('StorageClassName', [DEFINITION, 'storageClassName'], ({ storageClassName }) => storageClassName),
  describedColumn('Capacity', [DEFINITION, 'capacity'], ({ capacity }) => capacity ?? '<unset>'),
];
