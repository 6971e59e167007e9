import type { VolumeAttributesClass } from '@apiserver/api/storage/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn } from '@apiserver/resource-kit';
import { classNameColumn } from '../../text/class-name-column.js';

/** Upstream: printVolumeAttributesClass of pkg/printers/internalversion/printers.go */
export const volumeAttributesClassColumns: readonly Column<VolumeAttributesClass>[] = [
  classNameColumn('volumeattributesclass.alpha.kubernetes.io/is-default-class'),
  describedColumn(
    'DriverName',
    ['io.k8s.api.storage.v1.VolumeAttributesClass', 'driverName'],
    ({ driverName }) => driverName,
  ),
  ageColumn,
];
