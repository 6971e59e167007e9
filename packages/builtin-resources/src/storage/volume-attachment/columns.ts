import type { VolumeAttachment } from '@apiserver/api/storage/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '../../columns/common-columns.js';

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
  {
    name: 'PV',
    type: 'string',
    format: '',
    description: '',
    describedBy: { definition: `${DEFINITION}Source`, field: 'persistentVolumeName' },
    priority: 0,
    cell: ({ spec }) => spec.source.persistentVolumeName ?? '',
  },
  {
    name: 'Node',
    type: 'string',
    format: '',
    description: '',
    describedBy: { definition: `${DEFINITION}Spec`, field: 'nodeName' },
    priority: 0,
    cell: ({ spec }) => spec.nodeName,
  },
  {
    name: 'Attached',
    type: 'boolean',
    format: '',
    description: '',
    describedBy: { definition: `${DEFINITION}Status`, field: 'attached' },
    priority: 0,
    cell: ({ status }) => status.attached,
  },
  ageColumn,
];
