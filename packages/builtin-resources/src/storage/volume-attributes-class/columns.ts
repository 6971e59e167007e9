import type { VolumeAttributesClass } from '@apiserver/api/storage/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

const DEFAULT_ANNOTATION = 'volumeattributesclass.alpha.kubernetes.io/is-default-class';

/** Upstream: printVolumeAttributesClass of pkg/printers/internalversion/printers.go */
export const volumeAttributesClassColumns: readonly Column<VolumeAttributesClass>[] = [
  {
    ...nameColumn,
    cell: ({ metadata: { name = '', annotations } }) =>
      annotations?.[DEFAULT_ANNOTATION] === 'true' ? `${name} (default)` : name,
  },
  describedColumn(
    'DriverName',
    ['io.k8s.api.storage.v1.VolumeAttributesClass', 'driverName'],
    ({ driverName }) => driverName,
  ),
  ageColumn,
];
