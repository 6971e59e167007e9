import type { Clock } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';
import type { KeyValueStore } from '@apiserver/registry-store';
import type { EtcdStoreOptions } from '@apiserver/registry-store/etcd3';
import { StartupError } from '../first-start/startup-error.js';
import type { StorageOptions, StorageOverride } from '../options/storage-options.js';
import type { StorageChoice } from './choose-places.js';
import type { EtcdTransport } from './store-launcher.js';

/** What a store is opened with beside its place. */
export interface StoreSurroundings {
  readonly clock: Clock;
  readonly options: StorageOptions;
  readonly logger: Logger;
}

/** Opens the store that was chosen; what another one needs is not loaded. Throws a KeyValueError. */
export async function openStore(choice: StorageChoice, surroundings: StoreSurroundings): Promise<KeyValueStore> {
  const { clock, options, logger } = surroundings;
  if (choice.type === 'etcd3') return openEtcd(choice.transport, surroundings);
  const { compactionInterval } = options;
  if (choice.type === 'memory') {
    const { createMemoryStore } = await import('@apiserver/registry-store/memory');
    return createMemoryStore({ clock, compactionInterval });
  }
  const { openLmdbStore } = await import('@apiserver/registry-store/lmdb');
  const { directory, fsync } = choice;
  const failed = (error: Error) =>
    logger.error(error, 'The store has failed; nothing can be read or written until the server is started again', {
      directory,
    });
  return openLmdbStore({ directory, fsync, clock, compactionInterval, failed });
}

/**
 * Opens the stores of resources that have one of their own; overrides of the same servers share one. They are closed with
 * the main store. Throws a StartupError when there is no etcd at all, or one that does not answer.
 */
export async function openOverrides(
  choice: StorageChoice,
  main: KeyValueStore,
  surroundings: StoreSurroundings,
): Promise<readonly OpenOverride[]> {
  if (surroundings.options.overrides.length === 0) return [];
  if (choice.type !== 'etcd3') throw new StartupError('--etcd-servers-overrides: has no meaning without an etcd');
  const opened = new Map<string, KeyValueStore>();
  const overrides: OpenOverride[] = [];
  try {
    for (const override of surroundings.options.overrides) {
      const servers = override.servers.toSorted();
      const store = opened.get(servers.join()) ?? (await openOverride({ ...choice.transport, servers }, surroundings));
      opened.set(servers.join(), store);
      overrides.push({ ...override, store });
    }
    closeWith(main, [...opened.values()]);
    return overrides;
  } catch (error) {
    for (const store of opened.values()) await store[Symbol.asyncDispose]();
    throw error;
  }
}

/** A resource and the store it lives in. */
export interface OpenOverride extends StorageOverride {
  readonly store: KeyValueStore;
}

async function openOverride(transport: EtcdTransport, surroundings: StoreSurroundings): Promise<KeyValueStore> {
  try {
    return await openEtcd(transport, surroundings);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartupError(`--etcd-servers-overrides: ${transport.servers.join(';')}: ${reason}`, { cause });
  }
}

function closeWith(main: KeyValueStore, others: readonly KeyValueStore[]): void {
  const close = main[Symbol.asyncDispose].bind(main);
  Object.assign(main, {
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(others.map((store) => store[Symbol.asyncDispose]()));
      await close();
    },
  });
}

async function openEtcd(transport: EtcdTransport, surroundings: StoreSurroundings): Promise<KeyValueStore> {
  const { openEtcdStore } = await import('@apiserver/registry-store/etcd3');
  return await openEtcdStore(etcdOptions(transport, surroundings));
}

function etcdOptions(transport: EtcdTransport, { clock, options, logger }: StoreSurroundings): EtcdStoreOptions {
  const { compactionInterval, leaseReuseSeconds } = options;
  return {
    ...transport,
    clock,
    compactionInterval,
    leaseReuseSeconds,
    compactionFailed: (error) => logger.error(error, 'etcd: compact failed', { endpoints: transport.servers }),
    replaced: (why) =>
      logger.error(
        undefined,
        'etcd was replaced: caches are filled again, and the server is not ready until it is restarted',
        {
          endpoints: transport.servers,
          reason: why,
        },
      ),
  };
}
