import type { PersistentVolumeClaim } from '@apiserver/api/core/v1';
import { canonicalQuantity } from '@apiserver/apimachinery/values';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, describedColumn, nameColumn, storageClassOf } from '@apiserver/resource-kit';
import { accessModesText } from '../validation/access-modes.js';

const SPEC = 'io.k8s.api.core.v1.PersistentVolumeClaimSpec';
const STATUS = 'io.k8s.api.core.v1.PersistentVolumeClaimStatus';

/** Upstream: printPersistentVolumeClaim of pkg/printers/internalversion/printers.go */
export const persistentVolumeClaimColumns: readonly Column<PersistentVolumeClaim>[] = [
  nameColumn,
  describedColumn('Status', [STATUS, 'phase'], ({ metadata, status }) => {
    return metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? '');
  }),
  describedColumn('Volume', [SPEC, 'volumeName'], ({ spec }) => spec.volumeName ?? ''),
  describedColumn('Capacity', [STATUS, 'capacity'], ({ spec, status }) => {
    return spec.volumeName ? canonicalQuantity(status.capacity?.['storage'] ?? '0') : '';
  }),
  describedColumn('Access Modes', [STATUS, 'accessModes'], ({ spec, status }) => {
    return spec.volumeName ? accessModesText(status.accessModes) : '';
  }),
  column<PersistentVolumeClaim>('StorageClass', 'StorageClass of the pvc', storageClassOf),
  column('VolumeAttributesClass', 'VolumeAttributesClass of the pvc', ({ spec }) => {
    return spec.volumeAttributesClassName ?? '<unset>';
  }),
  ageColumn,
  describedColumn('VolumeMode', [SPEC, 'volumeMode'], ({ spec }) => spec.volumeMode ?? '<unset>', { priority: 1 }),
];
