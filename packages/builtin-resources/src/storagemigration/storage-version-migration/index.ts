import { StorageVersionMigration } from '@apiserver/api/storagemigration/v1beta1';
import { defineResource } from '@apiserver/resource-kit';
import { storageVersionMigrationColumns } from './columns.js';
import { storageVersionMigrationStatusStrategy, storageVersionMigrationStrategy } from './strategy.js';

/** StorageVersionMigrations: requests to store all objects of a resource again, in its current version. */
export const storageVersionMigrations = defineResource<StorageVersionMigration>({
  versions: [{ schema: StorageVersionMigration }],
  strategy: storageVersionMigrationStrategy,
  columns: storageVersionMigrationColumns,
  subresources: { status: { strategy: storageVersionMigrationStatusStrategy } },
});
