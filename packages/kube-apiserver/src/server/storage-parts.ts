import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { portRangeStorage } from '@apiserver/controlplane';
import type { HealthCheck } from '@apiserver/generic-server';
import {
  createStorageProvider,
  type KeyValueStore,
  type StorageProvider,
  type StorageProviderOptions,
} from '@apiserver/registry-store';
import { transformersOf } from './encryption-parts.js';
import type { CompletedKubeApiServerConfig } from './kube-api-server-config.js';
import { type StorageCheckOptions, storageCheck } from './storage-check.js';
import type { StorageConfig } from './storage-config.js';
import { StorageMetrics } from './storage-metrics.js';

type Config = Pick<
  CompletedKubeApiServerConfig,
  'store' | 'storagePrefix' | 'storage' | 'clock' | 'generic' | 'randomInt'
>;

/** Storage of the built-in kinds, which is counted and measured as long as the server runs. */
export function createProvider(
  config: Config,
  codecFor: (schema: KindSchema) => KindCodec,
  metrics: Pick<StorageProviderOptions, 'cacheMetrics' | 'storeMetrics'>,
): StorageProvider {
  const { store, storagePrefix: root, storage, clock, generic } = config;
  const withoutCache = new Set(storage.withoutCache.map(({ group, resource }) => `${group}/${resource}`));
  const overrides = new Map(
    storage.overrides.map((override) => [`${override.group}/${override.resource}`, override.store]),
  );
  return createStorageProvider({
    store,
    root,
    clock,
    codecFor,
    storeFor: ({ group, resource }) => overrides.get(`${group}/${resource}`),
    transformerFor: transformersOf(storage),
    unsafeDeletion: generic.unsafeDeletion ?? false,
    uncached: ({ group, resource }) =>
      !storage.watchCache || resource === portRangeStorage.resource || withoutCache.has(`${group}/${resource}`),
    ...metrics,
    ...(storage.mediaType === undefined ? {} : { mediaType: storage.mediaType }),
  });
}

/** Starts to measure; ends when it is disposed. */
export function createStorageMetrics(config: Config, provider: StorageProvider): AsyncDisposable {
  const { storage, clock, generic, randomInt } = config;
  const stores = [config.store, ...overrideStores(storage)];
  return new StorageMetrics({
    provider,
    stores,
    settings: storage,
    clock,
    random: randomInt,
    metrics: generic.metrics,
    logger: generic.logger.named('storage'),
  });
}

/** Checks of health and of readiness. Upstream: EtcdOptions.addEtcdHealthEndpoint */
export function storageChecks(config: Config): {
  readonly health: readonly HealthCheck[];
  readonly ready: readonly HealthCheck[];
} {
  const { storage, storagePrefix, clock } = config;
  const check = (
    store: KeyValueStore,
    name: string,
    rest: Pick<StorageCheckOptions, 'timeout' | 'group' | 'ofReadiness'>,
  ) => storageCheck({ store, key: `${storagePrefix}/health`, name, clock, ...rest });
  const { healthcheckTimeout, readycheckTimeout } = storage;
  const overrides = overrideStores(storage);
  const health = { timeout: healthcheckTimeout };
  const ready = { timeout: readycheckTimeout, ofReadiness: true };
  return {
    health: [
      check(config.store, 'etcd', health),
      ...overrides.map((store, i) => check(store, `etcd-override-${i}`, { ...health, group: 'etcd' })),
    ],
    ready: [
      check(config.store, 'etcd-readiness', ready),
      ...overrides.map((store, i) =>
        check(store, `etcd-override-readiness-${i}`, { ...ready, group: 'etcd-readiness' }),
      ),
    ],
  };
}

function overrideStores({ overrides }: StorageConfig): readonly KeyValueStore[] {
  return [...new Set(overrides.map(({ store }) => store))];
}
