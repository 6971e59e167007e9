import type { GroupResource } from '@apiserver/apimachinery';
import type {
  KeyValueStore,
  ObjectCounts,
  StorageMediaType,
  StorageProvider,
  StorageProviderOptions,
} from '@apiserver/registry-store';
import type { Encryption } from '@apiserver/registry-store/encryption';
import type { OpenOverride } from './open-store.js';

/** The stores of one server. */
export interface Stores {
  readonly main: KeyValueStore;
  /** Resources with a store of their own. */
  readonly overrides: readonly OpenOverride[];
}

/** Settings of the storage of built-in kinds. StorageOptions documents each field. */
export interface StorageSettings {
  /** The beginning of every key. Upstream flag: --etcd-prefix */
  readonly root: string;
  /** Undefined: JSON, in a store without other readers. */
  readonly mediaType: StorageMediaType | undefined;
  /** Upstream flag: --watch-cache */
  readonly watchCache: boolean;
  /** Built-in resources without a watch cache. Upstream flag: --watch-cache-sizes */
  readonly withoutCache: readonly GroupResource[];
  /** Concurrent deletions of one deletion of a collection. Upstream flag: --delete-collection-workers */
  readonly deleteCollectionWorkers: number;
  /** Upstream flag: --enable-garbage-collector */
  readonly enableGarbageCollection: boolean;
  /** Milliseconds, as the next three. */
  readonly healthcheckTimeout: number;
  readonly readycheckTimeout: number;
  readonly countMetricPollPeriod: number;
  readonly databaseMetricPollInterval: number;
  /** Upstream feature gate: DetectCacheInconsistency */
  readonly checksCaches: boolean;
  /** See StorageProviderOptions. */
  readonly listsPast: boolean;
}

/** The stores, and the form of objects in them. */
export interface StorageConfig extends StorageSettings {
  readonly stores: Stores;
  /** Undefined: no encryption. */
  readonly encryption: Encryption | undefined;
  /** Of the built-in kinds. Upstream: RESTOptionsGetter of k8s.io/apiserver/pkg/server.Config */
  readonly provider: StorageProvider;
  /** Metrics of storage, shared with custom resources. */
  readonly metrics: Pick<StorageProviderOptions, 'cacheMetrics' | 'storeMetrics' | 'counted'>;
  /** Of built-in and custom resources. */
  readonly objectCounts: ObjectCounts;
}
