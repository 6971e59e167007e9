import type { CSIStorageCapacity } from '@apiserver/api/storage/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { nameColumn } from '../../columns/common-columns.js';

function column(name: string, field: string, cell: Column<CSIStorageCapacity>['cell']): Column<CSIStorageCapacity> {
  const describedBy = { definition: 'io.k8s.api.storage.v1.CSIStorageCapacity', field };
  return { name, type: 'string', format: '', description: '', describedBy, priority: 0, cell };
}

/** No age. Upstream: printCSIStorageCapacity of pkg/printers/internalversion/printers.go */
export const csiStorageCapacityColumns: readonly Column<CSIStorageCapacity>[] = [
  nameColumn,
  column('StorageClassName', 'storageClassName', ({ storageClassName }) => storageClassName),
  column('Capacity', 'capacity', ({ capacity }) => capacity ?? '<unset>'),
];
