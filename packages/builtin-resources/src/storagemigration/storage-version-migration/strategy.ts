import type { StorageVersionMigration } from '@apiserver/api/storagemigration/v1beta1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { restoreForStatus } from '@apiserver/resource-kit';
import { validateStorageVersionMigrationStatusUpdate } from './status-validation.js';
import { validateStorageVersionMigration, validateStorageVersionMigrationUpdate } from './validation.js';

/** Upstream: pkg/registry/storagemigration/storagemigration/strategy.go */
export const storageVersionMigrationStrategy: Strategy<StorageVersionMigration> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  resetFields: ['status'],
  prepareForCreate(_context, migration) {
    migration.status = {};
  },
  validate: (_context, migration) => validateStorageVersionMigration(migration),
  prepareForUpdate(_context, migration, old) {
    migration.status = cloneJson(old.status);
  },
  validateUpdate: (_context, migration, old) => validateStorageVersionMigrationUpdate(migration, old),
};

/** Strategy of the status endpoint. */
export const storageVersionMigrationStatusStrategy: Strategy<StorageVersionMigration> = {
  ...storageVersionMigrationStrategy,
  resetFields: ['metadata', 'spec'],
  prepareForUpdate: (_context, migration, old) => restoreForStatus(migration, old),
  validateUpdate: (_context, migration, old) => validateStorageVersionMigrationStatusUpdate(migration, old),
};
