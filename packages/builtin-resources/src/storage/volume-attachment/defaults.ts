import type { VolumeAttachment } from '@apiserver/api/storage/v1';
import { roundUpAmounts } from '../../core/resource-amounts.js';

/** Mutates. An inline volume gets the defaults of its parts. Upstream: SetObjectDefaults_VolumeAttachment */
export function applyVolumeAttachmentDefaults({ spec }: VolumeAttachment): void {
  const volume = spec.source.inlineVolumeSpec;
  if (volume === undefined) return;
  if (volume.hostPath !== undefined) volume.hostPath.type ??= '';
  roundUpAmounts(volume.capacity);
}
