import type { CSIDriver } from '@apiserver/api/storage/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

const SPEC = 'io.k8s.api.storage.v1.CSIDriverSpec';
const BOOLEAN = { type: 'boolean' };

/** Upstream: printCSIDriver of pkg/printers/internalversion/printers.go */
export const csiDriverColumns: readonly Column<CSIDriver>[] = [
  nameColumn,
  describedColumn('AttachRequired', [SPEC, 'attachRequired'], ({ spec }) => spec.attachRequired ?? true, BOOLEAN),
  describedColumn('PodInfoOnMount', [SPEC, 'podInfoOnMount'], ({ spec }) => spec.podInfoOnMount ?? false, BOOLEAN),
  describedColumn('StorageCapacity', [SPEC, 'storageCapacity'], ({ spec }) => spec.storageCapacity ?? false, BOOLEAN),
  describedColumn('TokenRequests', [SPEC, 'tokenRequests'], ({ spec }) =>
    spec.tokenRequests === undefined ? '<unset>' : spec.tokenRequests.map(({ audience }) => audience).join(','),
  ),
  describedColumn(
    'RequiresRepublish',
    [SPEC, 'requiresRepublish'],
    ({ spec }) => spec.requiresRepublish ?? false,
    BOOLEAN,
  ),
  describedColumn(
    'Modes',
    [SPEC, 'volumeLifecycleModes'],
    ({ spec }) => spec.volumeLifecycleModes?.join(',') || '<none>',
  ),
  ageColumn,
];
