import type { VolumeAttachment } from '@apiserver/api/storage/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { restoreForStatus } from '@apiserver/resource-kit';
import { validateVolumeAttachment, validateVolumeAttachmentUpdate } from './validation.js';

/** Upstream: pkg/registry/storage/volumeattachment/strategy.go */
export const volumeAttachmentStrategy: Strategy<VolumeAttachment> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  resetFields: ['status'],
  prepareForCreate(_context, attachment) {
    attachment.status = { attached: false };
  },
  validate: (_context, attachment) => validateVolumeAttachment(attachment),
  prepareForUpdate(_context, attachment, old) {
    attachment.status = cloneJson(old.status);
  },
  validateUpdate: (_context, attachment, old) => validateVolumeAttachmentUpdate(attachment, old),
};

/** Strategy of the status endpoint. */
export const volumeAttachmentStatusStrategy: Strategy<VolumeAttachment> = {
  ...volumeAttachmentStrategy,
  resetFields: ['metadata', 'spec'],
  prepareForUpdate: (_context, attachment, old) => restoreForStatus(attachment, old),
};
