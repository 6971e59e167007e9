import type { GroupResource } from '@apiserver/apimachinery';
import type { KeyValueStore, StorageMediaType } from '@apiserver/registry-store';
import type { Encryption } from '@apiserver/registry-store/encryption';

/** Where and how built-in kinds are kept. Each field is that of StorageOptions. */
export interface StorageConfig {
  /** Undefined: JSON, in a store that nobody else reads. */
  readonly mediaType: StorageMediaType | undefined;
  /** Resources with a store of their own. Ended with the config's store. */
  readonly overrides: readonly (GroupResource & { readonly store: KeyValueStore })[];
  /** Undefined: everything is stored as it is. Ended with the server. */
  readonly encryption: Encryption | undefined;
  /** Upstream flag: --watch-cache */
  readonly watchCache: boolean;
  /** Built-in resources without a watch cache. Upstream flag: --watch-cache-sizes */
  readonly withoutCache: readonly GroupResource[];
  /** Deletions that one deletion of a collection has under way. Upstream flag: --delete-collection-workers */
  readonly deleteCollectionWorkers: number;
  /** Upstream flag: --enable-garbage-collector */
  readonly enableGarbageCollection: boolean;
  /** Milliseconds. */
  readonly healthcheckTimeout: number;
  readonly readycheckTimeout: number;
  readonly countMetricPollPeriod: number;
  readonly databaseMetricPollInterval: number;
}
