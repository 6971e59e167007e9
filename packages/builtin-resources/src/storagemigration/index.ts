import type { APIGroupInfo, FeatureGates } from '@apiserver/apiserver-contracts';
import { builtinGroup, type GroupDependencies } from '../builtin-group.js';
import { storageVersionMigrations } from './storage-version-migration/index.js';

/** Dependencies of migrations on their server. */
export interface StorageMigrationGroupDependencies extends GroupDependencies {
  readonly features: FeatureGates;
}

/** The resources of storagemigration.k8s.io. */
export function storageMigrationGroup({ install, features }: StorageMigrationGroupDependencies): APIGroupInfo {
  const migrations = features.enabled('StorageVersionMigrator') ? [install(storageVersionMigrations)] : [];
  return builtinGroup('storagemigration.k8s.io', migrations);
}
