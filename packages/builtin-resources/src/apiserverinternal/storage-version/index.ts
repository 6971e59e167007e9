import { StorageVersion } from '@apiserver/api/apiserverinternal/v1alpha1';
import { defineResource } from '@apiserver/resource-kit';
import { storageVersionColumns } from './columns.js';
import { storageVersionStatusStrategy, storageVersionStrategy } from './strategy.js';

/** StorageVersions: in which version each server stores the objects of a resource. */
export const storageVersions = defineResource<StorageVersion>({
  versions: [{ schema: StorageVersion }],
  strategy: storageVersionStrategy,
  columns: storageVersionColumns,
  subresources: { status: { strategy: storageVersionStatusStrategy } },
});
