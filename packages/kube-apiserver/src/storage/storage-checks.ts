import type { HealthCheck, ServerContext } from '@apiserver/generic-server';
import type { KeyValueStore } from '@apiserver/registry-store';
import { type StorageCheckOptions, storageCheck } from './storage-check.js';
import type { StorageConfig, Stores } from './storage-config.js';

/** Checks of health and of readiness. Upstream: EtcdOptions.addEtcdHealthEndpoint */
export function storageChecks(
  storage: StorageConfig,
  { clock }: Pick<ServerContext, 'clock'>,
): {
  readonly health: readonly HealthCheck[];
  readonly ready: readonly HealthCheck[];
} {
  const { root, stores, healthcheckTimeout, readycheckTimeout } = storage;
  const check = (
    store: KeyValueStore,
    name: string,
    rest: Pick<StorageCheckOptions, 'timeout' | 'group' | 'ofReadiness'>,
  ) => storageCheck({ store, key: `${root}/health`, name, clock, ...rest });
  const overrides = overrideStores(stores);
  const health = { timeout: healthcheckTimeout };
  const ready = { timeout: readycheckTimeout, ofReadiness: true };
  return {
    health: [
      check(stores.main, 'etcd', health),
      ...overrides.map((store, i) => check(store, `etcd-override-${i}`, { ...health, group: 'etcd' })),
    ],
    ready: [
      check(stores.main, 'etcd-readiness', ready),
      ...overrides.map((store, i) =>
        check(store, `etcd-override-readiness-${i}`, { ...ready, group: 'etcd-readiness' }),
      ),
    ],
  };
}

/** The stores of all overrides, without duplicates: overrides with the same servers share a store. */
export function overrideStores({ overrides }: Stores): readonly KeyValueStore[] {
  return [...new Set(overrides.map(({ store }) => store))];
}
