export { type CacheMetricsOptions, createCacheMetrics } from './cacher/create-cache-metrics.js';
export type { FirstUse } from './cacher/deferred-storage.js';
export { createStorageProvider } from './create-storage-provider.js';
export { SharedObjects } from './forks/shared-objects.js';
export { createInformer, type InformerOptions } from './informer/create-informer.js';
export { type FollowOptions, followResource } from './informer/follow-resource.js';
export { type FollowedClient, selectingClient } from './informer/followed-client.js';
export type { ResourceSink } from './informer/resource-sink.js';
export { type InstallOptions, installedResource } from './installed-resource.js';
export { interpretError, type StorageOperation, storageErrorOf } from './interpret-error.js';
export {
  compactedError,
  futureRevisionError,
  isKeyValueError,
  KeyValueError,
  type KeyValueErrorCode,
} from './key-value-error.js';
export {
  type CommitRequest,
  type CommitResult,
  type GetResult,
  type KeyValue,
  type KeyValueEvent,
  type KeyValueSink,
  type KeyValueStore,
  type KeyValueWatch,
  type KeyValueWatchRequest,
  prefixEnd,
  type RangeRequest,
  type RangeResult,
  type WatchFreshness,
} from './key-value-store.js';
export { type CountsObserver, ObjectCounts } from './object-counts.js';
export type { AtRestConversion } from './objects/at-rest-conversion.js';
export { createStoreMetrics } from './objects/create-store-metrics.js';
export { STORAGE_MEDIA_TYPES, type StorageMediaType } from './objects/forms/encoded-form.js';
export { KnownObjects, type ObjectSource } from './objects/known-objects.js';
export { EXPIRED_CONTINUE, EXPIRED_LIST } from './objects/object-list.js';
export { takeTurns } from './objects/take-turns.js';
export { identityTransformer, type Transformed, type Transformer } from './objects/transformer.js';
export {
  isKeyExists,
  isKeyNotFound,
  isStorageError,
  newCorruptObjectError,
  newExpiredError,
  newInvalidPreconditionsError,
  newKeyExistsError,
  newKeyNotFoundError,
  newTooLargeResourceVersionError,
  StorageError,
} from './storage-error.js';
export { StorageMetrics } from './storage-metrics.js';
export type { ObjectCounter, StorageProvider, StorageProviderOptions } from './storage-provider.js';
export { createStore, createSubresourceStore } from './store/create-store.js';
export { newGenericStore } from './store/generic-store.js';
export { groupResourceOf } from './store/store-core.js';
export type { StoreOptions } from './store/store-options.js';
