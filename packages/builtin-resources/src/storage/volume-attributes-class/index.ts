import { VolumeAttributesClass } from '@apiserver/api/storage/v1';
import { defineResource } from '@apiserver/resource-kit';
import { volumeAttributesClassColumns } from './columns.js';
import { volumeAttributesClassStrategy } from './strategy.js';

/** VolumeAttributesClasses: attributes of volumes that are mutable while in use. */
export const volumeAttributesClasses = defineResource<VolumeAttributesClass>({
  shortNames: ['vac'],
  versions: [{ schema: VolumeAttributesClass }],
  strategy: volumeAttributesClassStrategy,
  columns: volumeAttributesClassColumns,
  returnDeletedObject: true,
});
