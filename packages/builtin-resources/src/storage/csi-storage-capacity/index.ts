import { CSIStorageCapacity } from '@apiserver/api/storage/v1';
import { defineResource } from '@apiserver/resource-kit';
import { csiStorageCapacityColumns } from './columns.js';
import { csiStorageCapacityStrategy } from './strategy.js';

/** CSIStorageCapacities: how much room a driver has for a class of volumes, and on which nodes. */
export const csiStorageCapacities = defineResource<CSIStorageCapacity>({
  versions: [{ schema: CSIStorageCapacity }],
  strategy: csiStorageCapacityStrategy,
  columns: csiStorageCapacityColumns,
});
