import { StorageClass } from '@apiserver/api/storage/v1';
import { defineResource } from '@apiserver/resource-kit';
import { storageClassColumns } from './columns.js';
import { applyStorageClassDefaults } from './defaults.js';
import { storageClassStrategy } from './strategy.js';

/** StorageClasses: ways of provisioning volumes. */
export const storageClasses = defineResource<StorageClass>({
  shortNames: ['sc'],
  versions: [{ schema: StorageClass, applyDefaults: applyStorageClassDefaults }],
  strategy: storageClassStrategy,
  columns: storageClassColumns,
  returnDeletedObject: true,
});
