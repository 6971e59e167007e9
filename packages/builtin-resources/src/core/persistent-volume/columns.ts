import type { PersistentVolume } from '@apiserver/api/core/v1';
import { canonicalQuantity } from '@apiserver/apimachinery/values';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, column, describedColumn, nameColumn, storageClassOf } from '@apiserver/resource-kit';
import { accessModesText } from '../validation/access-modes.js';

const SPEC = 'io.k8s.api.core.v1.PersistentVolumeSpec';
const STATUS = 'io.k8s.api.core.v1.PersistentVolumeStatus';

/** Upstream: printPersistentVolume of pkg/printers/internalversion/printers.go */
export const persistentVolumeColumns: readonly Column<PersistentVolume>[] = [
  nameColumn,
  describedColumn('Capacity', [SPEC, 'capacity'], ({ spec }) => canonicalQuantity(spec.capacity?.['storage'] ?? '0')),
  describedColumn('Access Modes', [SPEC, 'accessModes'], ({ spec }) => accessModesText(spec.accessModes)),
  describedColumn('Reclaim Policy', [SPEC, 'persistentVolumeReclaimPolicy'], ({ spec }) => {
    return spec.persistentVolumeReclaimPolicy ?? '';
  }),
  describedColumn('Status', [STATUS, 'phase'], ({ metadata, status }) => {
    return metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? '');
  }),
  describedColumn('Claim', [SPEC, 'claimRef'], ({ spec: { claimRef } }) => {
    return claimRef === undefined ? '' : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`;
  }),
  column<PersistentVolume>('StorageClass', 'StorageClass of the pv', storageClassOf),
  column('VolumeAttributesClass', 'VolumeAttributesClass of the pv', ({ spec }) => {
    return spec.volumeAttributesClassName ?? '<unset>';
  }),
  describedColumn('Reason', [STATUS, 'reason'], ({ status }) => status.reason ?? ''),
  ageColumn,
  describedColumn('VolumeMode', [SPEC, 'volumeMode'], ({ spec }) => spec.volumeMode ?? '<unset>', { priority: 1 }),
];
