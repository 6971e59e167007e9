import type { PersistentVolume } from '@apiserver/api/core/v1';
import { canonicalQuantity } from '@apiserver/apimachinery/values';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';
import { storageClassOf } from '../storage-class-annotation.js';
import { accessModesText } from '../validation/access-modes.js';

const SPEC = 'io.k8s.api.core.v1.PersistentVolumeSpec';
const STATUS = 'io.k8s.api.core.v1.PersistentVolumeStatus';
type Cell = (volume: PersistentVolume) => string;

/** Upstream: printPersistentVolume of pkg/printers/internalversion/printers.go */
export const persistentVolumeColumns: readonly Column<PersistentVolume>[] = [
  nameColumn,
  fieldColumn('Capacity', [SPEC, 'capacity'], ({ spec }) => canonicalQuantity(spec.capacity?.['storage'] ?? '0')),
  fieldColumn('Access Modes', [SPEC, 'accessModes'], ({ spec }) => accessModesText(spec.accessModes)),
  fieldColumn('Reclaim Policy', [SPEC, 'persistentVolumeReclaimPolicy'], ({ spec }) => {
    return spec.persistentVolumeReclaimPolicy ?? '';
  }),
  fieldColumn('Status', [STATUS, 'phase'], ({ metadata, status }) => {
    return metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? '');
  }),
  fieldColumn('Claim', [SPEC, 'claimRef'], ({ spec: { claimRef } }) => {
    return claimRef === undefined ? '' : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`;
  }),
  textColumn('StorageClass', 'StorageClass of the pv', storageClassOf),
  textColumn('VolumeAttributesClass', 'VolumeAttributesClass of the pv', ({ spec }) => {
    return spec.volumeAttributesClassName ?? '<unset>';
  }),
  fieldColumn('Reason', [STATUS, 'reason'], ({ status }) => status.reason ?? ''),
  ageColumn,
  { ...fieldColumn('VolumeMode', [SPEC, 'volumeMode'], ({ spec }) => spec.volumeMode ?? '<unset>'), priority: 1 },
];

function textColumn(name: string, description: string, cell: Cell): Column<PersistentVolume> {
  return { name, type: 'string', format: '', description, priority: 0, cell };
}

function fieldColumn(
  name: string,
  [definition, field]: readonly [string, string],
  cell: Cell,
): Column<PersistentVolume> {
  return { ...textColumn(name, '', cell), describedBy: { definition, field } };
}
