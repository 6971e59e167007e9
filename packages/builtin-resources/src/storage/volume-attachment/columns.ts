import type { VolumeAttachment } from '@apiserver/api/storage/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, describedColumn, nameColumn } from '@apiserver/resource-kit';

const DEFINITION = 'io.k8s.api.storage.v1.VolumeAttachment';

/** Upstream: printVolumeAttachment of pkg/printers/internalversion/printers.go */
export const volumeAttachmentColumns: readonly Column<VolumeAttachment>[] = [
  nameColumn,
  {
    name: 'Attacher',
    type: 'string',
    format: 'name',
    description: '',
    describedBy: { definition: `${DEFINITION}Spec`, field: 'attacher' },
    priority: 0,
    cell: ({ spec }) => spec.attacher,
  },
  describedColumn(
    'PV',
    [`${DEFINITION}Source`, 'persistentVolumeName'],
    ({ spec }) => spec.source.persistentVolumeName ?? '',
  ),
  describedColumn('Node', [`${DEFINITION}Spec`, 'nodeName'], ({ spec }) => spec.nodeName),
  describedColumn('Attached', [`${DEFINITION}Status`, 'attached'], ({ status }) => status.attached, {
    type: 'boolean',
  }),
  ageColumn,
];
