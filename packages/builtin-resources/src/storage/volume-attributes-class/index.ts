import { VolumeAttributesClass } from '@apiserver/api/storage/v1';
import { defineResource } from '@apiserver/resource-kit';
import { volumeAttributesClassColumns } from './columns.js';
import { volumeAttributesClassStrategy } from './strategy.js';

/** VolumeAttributesClasses: what of a volume may be changed while it is in use. */
export const volumeAttributesClasses = defineResource<VolumeAttributesClass>({
  shortNames: ['vac'],
  versions: [{ schema: VolumeAttributesClass }],
  strategy: volumeAttributesClassStrategy,
  columns: volumeAttributesClassColumns,
  returnDeletedObject: true,
});
