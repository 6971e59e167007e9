import type { StorageClass } from '@apiserver/api/storage/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';

/** Annotations that mark the default class. */
const DEFAULT_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

function column(name: string, field: string, cell: Column<StorageClass>['cell']): Column<StorageClass> {
  const describedBy = { definition: 'io.k8s.api.storage.v1.StorageClass', field };
  return { name, type: 'string', format: '', description: '', describedBy, priority: 0, cell };
}

/** Upstream: printStorageClass of pkg/printers/internalversion/printers.go */
export const storageClassColumns: readonly Column<StorageClass>[] = [
  { ...nameColumn, cell: ({ metadata }) => `${metadata.name ?? ''}${isDefault(metadata) ? ' (default)' : ''}` },
  column('Provisioner', 'provisioner', ({ provisioner }) => provisioner),
  column('ReclaimPolicy', 'reclaimPolicy', ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete'),
  column('VolumeBindingMode', 'volumeBindingMode', ({ volumeBindingMode }) => volumeBindingMode ?? 'Immediate'),
  // A boolean despite the column's type, as upstream.
  column('AllowVolumeExpansion', 'allowVolumeExpansion', ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false),
  ageColumn,
];

function isDefault({ annotations }: StorageClass['metadata']): boolean {
  return DEFAULT_ANNOTATIONS.some((annotation) => annotations?.[annotation] === 'true');
}
