import type { StorageClass } from '@apiserver/api/storage/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

/** Annotations that mark the default class. */
const DEFAULT_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

const DEFINITION = 'io.k8s.api.storage.v1.StorageClass';

/** Upstream: printStorageClass of pkg/printers/internalversion/printers.go */
export const storageClassColumns: readonly Column<StorageClass>[] = [
  { ...nameColumn, cell: ({ metadata }) => `${metadata.name ?? ''}${isDefault(metadata) ? ' (default)' : ''}` },
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

function isDefault({ annotations }: StorageClass['metadata']): boolean {
  return DEFAULT_ANNOTATIONS.some((annotation) => annotations?.[annotation] === 'true');
}
