import type { CSIDriver } from '@apiserver/api/storage/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

function column(
  name: string,
  type: 'boolean' | 'string',
  field: string,
  cell: Column<CSIDriver>['cell'],
): Column<CSIDriver> {
  const describedBy = { definition: 'io.k8s.api.storage.v1.CSIDriverSpec', field };
  return { name, type, format: '', description: '', describedBy, priority: 0, cell };
}

/** Upstream: printCSIDriver of pkg/printers/internalversion/printers.go */
export const csiDriverColumns: readonly Column<CSIDriver>[] = [
  nameColumn,
  column('AttachRequired', 'boolean', 'attachRequired', ({ spec }) => spec.attachRequired ?? true),
  column('PodInfoOnMount', 'boolean', 'podInfoOnMount', ({ spec }) => spec.podInfoOnMount ?? false),
  column('StorageCapacity', 'boolean', 'storageCapacity', ({ spec }) => spec.storageCapacity ?? false),
  column('TokenRequests', 'string', 'tokenRequests', ({ spec }) =>
    spec.tokenRequests === undefined ? '<unset>' : spec.tokenRequests.map(({ audience }) => audience).join(','),
  ),
  column('RequiresRepublish', 'boolean', 'requiresRepublish', ({ spec }) => spec.requiresRepublish ?? false),
  column('Modes', 'string', 'volumeLifecycleModes', ({ spec }) => spec.volumeLifecycleModes?.join(',') || '<none>'),
  ageColumn,
];
