import { CSIStorageCapacity } from '@apiserver/api/storage/v1';
import { defineResource } from '@apiserver/resource-kit';
import { csiStorageCapacityColumns } from './columns.js';
import { csiStorageCapacityStrategy } from './strategy.js';

/** CSIStorageCapacities: the free capacity of a driver for a storage class, by nodes. */
export const csiStorageCapacities = defineResource<CSIStorageCapacity>({
  versions: [{ schema: CSIStorageCapacity }],
  strategy: csiStorageCapacityStrategy,
  columns: csiStorageCapacityColumns,
});
