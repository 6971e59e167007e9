import type { ServerContext } from '@apiserver/generic-server';
import { createCacheMetrics, createStoreMetrics, ObjectCounts } from '@apiserver/registry-store';
import { serverIdOf } from '../features/server-id.js';
import type { CompletedOptions } from '../options/complete-options.js';
import type { StorageSource } from './choose-places.js';
import { openEncryptionOf } from './open-encryption.js';
import { openOverrides, openStore, type StoreDependencies } from './open-store.js';
import type { StorageConfig, StorageSettings, Stores } from './storage-config.js';
import { createProvider, type ProviderDependencies } from './storage-provider.js';

/** The parts of a server that open stores. */
export type StoreContext = Pick<ServerContext, 'clock' | 'logger' | 'disposables'> &
  Pick<StoreDependencies, 'dialEtcd'>;

/** Opens the stores, which are closed with the context. Throws a StartupError, or a KeyValueError of a store. */
export async function openStores(
  choice: StorageSource,
  { storage: options }: CompletedOptions,
  { clock, logger, disposables, dialEtcd }: StoreContext,
): Promise<Stores> {
  const dependencies = { clock, options, logger: logger.named('storage'), disposables, dialEtcd };
  const main = await openStore(choice, dependencies);
  return { main, overrides: await openOverrides(choice, dependencies) };
}

/** Dependencies of storage besides options. */
export interface StorageDependencies extends Omit<ProviderDependencies, 'context'> {
  readonly stores: Stores;
  /** The name of this machine, a label of metrics. */
  readonly hostname: string;
}

/** Configures the form of objects in open stores. Throws a StartupError for an unusable encryption. */
export async function configureStorage(
  options: CompletedOptions,
  context: ServerContext,
  { stores, hostname, ...dependencies }: StorageDependencies,
): Promise<StorageConfig> {
  const { clock, logger, metrics: registry, disposables } = context;
  const encryption = await openEncryptionOf(options.storage, {
    clock,
    logger: logger.named('encryption'),
    registry,
    disposables,
    serverId: serverIdOf(options.features.gate, hostname),
  });
  const objectCounts = new ObjectCounts();
  const metrics = {
    cacheMetrics: createCacheMetrics(registry, { sharding: options.features.gate.enabled('ShardedListAndWatch') }),
    storeMetrics: createStoreMetrics(registry),
    counted: objectCounts.add,
  };
  const config = { ...settingsOf(options), stores, encryption, metrics, objectCounts };
  return { ...config, provider: createProvider(config, { context, ...dependencies }) };
}

function settingsOf({ storage, data, features: { gate } }: CompletedOptions): StorageSettings {
  const { healthcheckTimeout, readycheckTimeout, countMetricPollPeriod, databaseMetricPollInterval } = storage;
  return {
    root: data.keyRoot,
    mediaType: storage.storageMediaType,
    watchCache: storage.watchCache.enabled,
    withoutCache: storage.watchCache.withoutCache,
    deleteCollectionWorkers: storage.deleteCollectionWorkers,
    enableGarbageCollection: storage.enableGarbageCollector,
    healthcheckTimeout,
    readycheckTimeout,
    countMetricPollPeriod,
    databaseMetricPollInterval,
    checksCaches: gate.enabled('DetectCacheInconsistency'),
    listsPast: gate.enabled('ListFromCacheSnapshot'),
  };
}
