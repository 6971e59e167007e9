import type { PersistentVolumeClaim } from '@apiserver/api/core/v1';
import { canonicalQuantity } from '@apiserver/apimachinery/values';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '@apiserver/resource-kit';
import { storageClassOf } from '../storage-class-annotation.js';
import { accessModesText } from '../validation/access-modes.js';

const SPEC = 'io.k8s.api.core.v1.PersistentVolumeClaimSpec';
const STATUS = 'io.k8s.api.core.v1.PersistentVolumeClaimStatus';
type Cell = (claim: PersistentVolumeClaim) => string;

/** Upstream: printPersistentVolumeClaim of pkg/printers/internalversion/printers.go */
export const persistentVolumeClaimColumns: readonly Column<PersistentVolumeClaim>[] = [
  nameColumn,
  fieldColumn('Status', [STATUS, 'phase'], ({ metadata, status }) => {
    return metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? '');
  }),
  fieldColumn('Volume', [SPEC, 'volumeName'], ({ spec }) => spec.volumeName ?? ''),
  fieldColumn('Capacity', [STATUS, 'capacity'], ({ spec, status }) => {
    return spec.volumeName ? canonicalQuantity(status.capacity?.['storage'] ?? '0') : '';
  }),
  fieldColumn('Access Modes', [STATUS, 'accessModes'], ({ spec, status }) => {
    return spec.volumeName ? accessModesText(status.accessModes) : '';
  }),
  textColumn('StorageClass', 'StorageClass of the pvc', storageClassOf),
  textColumn('VolumeAttributesClass', 'VolumeAttributesClass of the pvc', ({ spec }) => {
    return spec.volumeAttributesClassName ?? '<unset>';
  }),
  ageColumn,
  { ...fieldColumn('VolumeMode', [SPEC, 'volumeMode'], ({ spec }) => spec.volumeMode ?? '<unset>'), priority: 1 },
];

function textColumn(name: string, description: string, cell: Cell): Column<PersistentVolumeClaim> {
  return { name, type: 'string', format: '', description, priority: 0, cell };
}

function fieldColumn(
  name: string,
  [definition, field]: readonly [string, string],
  cell: Cell,
): Column<PersistentVolumeClaim> {
  return { ...textColumn(name, '', cell), describedBy: { definition, field } };
}
