import type { StorageClass } from '@apiserver/api/storage/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn } from '@apiserver/resource-kit';
import { classNameColumn } from '../../text/class-name-column.js';

const DEFINITION = 'io.k8s.api.storage.v1.StorageClass';

/** Upstream: printStorageClass of pkg/printers/internalversion/printers.go */
export const storageClassColumns: readonly Column<StorageClass>[] = [
  classNameColumn('storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'),
  describedColumn('Provisioner', [DEFINITION, 'provisioner'], ({ provisioner }) => provisioner),
  describedColumn('ReclaimPolicy', [DEFINITION, 'reclaimPolicy'], ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete'),
  describedColumn(
    'VolumeBindingMode',
    [DEFINITION, 'volumeBindingMode'],
    ({ volumeBindingMode }) => volumeBindingMode ?? 'Immediate',
  ),
  // A boolean despite the column's type, as upstream.
  describedColumn(
    'AllowVolumeExpansion',
    [DEFINITION, 'allowVolumeExpansion'],
    ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
  ),
  ageColumn,
];
