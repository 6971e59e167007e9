import { VolumeAttributesClass } from '@apiserver/api/storage/v1';
import { VolumeAttributesClass as VolumeAttributesClassBeta } from '@apiserver/api/storage/v1beta1';
import { defineResource } from '@apiserver/resource-kit';
import { sameFields } from '../../same-fields.js';
import { volumeAttributesClassColumns } from './columns.js';
import { volumeAttributesClassStrategy } from './strategy.js';

/** VolumeAttributesClasses: attributes of volumes that are mutable while in use. */
export const volumeAttributesClasses = defineResource<VolumeAttributesClass>({
  shortNames: ['vac'],
  versions: [
    { schema: VolumeAttributesClass },
    { schema: VolumeAttributesClassBeta, ...sameFields('storage.k8s.io', 'v1beta1') },
  ],
  strategy: volumeAttributesClassStrategy,
  columns: volumeAttributesClassColumns,
  returnDeletedObject: true,
});
