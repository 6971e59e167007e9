import type { RandomInt } from '@apiserver/apimachinery/random';
import type { ServerContext } from '@apiserver/generic-server';
import { StorageMetrics } from '@apiserver/registry-store';
import { overrideStores } from './storage-checks.js';
import type { StorageConfig } from './storage-config.js';

/** Starts to measure the storage of a server; ends when it is disposed. */
export function measureStorage(
  storage: StorageConfig,
  { clock, metrics, logger }: Pick<ServerContext, 'clock' | 'metrics' | 'logger'>,
  random: RandomInt,
): AsyncDisposable {
  const { objectCounts, stores } = storage;
  return new StorageMetrics({
    counts: objectCounts,
    clock,
    random,
    metrics,
    settings: storage,
    logger: logger.named('storage'),
    stores: [stores.main, ...overrideStores(stores)],
  });
}
