import { VolumeAttachment } from '@apiserver/api/storage/v1';
import { defineResource } from '@apiserver/resource-kit';
import { volumeAttachmentColumns } from './columns.js';
import { applyVolumeAttachmentDefaults } from './defaults.js';
import { volumeAttachmentStatusStrategy, volumeAttachmentStrategy } from './strategy.js';

/** VolumeAttachments: the attachment of a volume to a node, requested and actual. */
export const volumeAttachments = defineResource<VolumeAttachment>({
  versions: [{ schema: VolumeAttachment, applyDefaults: applyVolumeAttachmentDefaults }],
  strategy: volumeAttachmentStrategy,
  columns: volumeAttachmentColumns,
  subresources: { status: { strategy: volumeAttachmentStatusStrategy } },
  returnDeletedObject: true,
});
