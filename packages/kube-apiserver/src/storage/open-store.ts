import type { Clock } from '@apiserver/apimachinery/clock';
import type { Logger } from '@apiserver/apiserver-contracts';
import { orStartupErrorLater, StartupError } from '@apiserver/component-base/process';
import type { KeyValueStore } from '@apiserver/registry-store';
import type { EtcdStoreOptions } from '@apiserver/registry-store/etcd3';
import type { SocketDialer } from '@apiserver/registry-store/grpc';
import type { CompletedOptions } from '../options/complete-options.js';
import type { EtcdTransport } from '../options/data-options.js';
import type { StorageOverride } from '../options/storage-options.js';
import type { StorageChoice, StorageSource } from './choose-places.js';

/** Dependencies of a store besides its place. */
export interface StoreDependencies {
  readonly clock: Clock;
  readonly options: CompletedOptions['storage'];
  readonly logger: Logger;
  /** Opens connections to etcd. Default: TCP from this machine. */
  readonly dialEtcd?: SocketDialer | undefined;
  /** Disposes the opened stores. */
  readonly disposables: AsyncDisposableStack;
}

/** Opens the store; other implementations are not loaded. Throws a KeyValueError. */
export async function openStore(choice: StorageSource, dependencies: StoreDependencies): Promise<KeyValueStore> {
  // Its disposal was arranged when it was given.
  if (choice.type === 'given') return choice.store;
  return dependencies.disposables.use(await openChosen(choice, dependencies));
}

async function openChosen(choice: StorageChoice, dependencies: StoreDependencies): Promise<KeyValueStore> {
  const { clock, options, logger } = dependencies;
  if (choice.type === 'etcd3') return openEtcd(choice.transport, dependencies);
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
 * Opens the separate stores of resources; overrides with the same servers share one. Throws a StartupError without an
 * etcd, or if one does not respond.
 */
export async function openOverrides(
  choice: StorageSource,
  dependencies: StoreDependencies,
): Promise<readonly OpenOverride[]> {
  const { options, disposables } = dependencies;
  if (options.overrides.length === 0) return [];
  if (choice.type !== 'etcd3') throw new StartupError('--etcd-servers-overrides: has no meaning without an etcd');
  const opened = new Map<string, KeyValueStore>();
  const overrides: OpenOverride[] = [];
  for (const override of options.overrides) {
    const servers = override.servers.toSorted();
    const known = opened.get(servers.join());
    const store = known ?? disposables.use(await openOverride({ ...choice.transport, servers }, dependencies));
    opened.set(servers.join(), store);
    overrides.push({ ...override, store });
  }
  return overrides;
}

/** A resource and its store. */
export interface OpenOverride extends StorageOverride {
  readonly store: KeyValueStore;
}

function openOverride(transport: EtcdTransport, dependencies: StoreDependencies): Promise<KeyValueStore> {
  const prefix = `--etcd-servers-overrides: ${transport.servers.join(';')}: `;
  return orStartupErrorLater(openEtcd(transport, dependencies), prefix);
}

async function openEtcd(transport: EtcdTransport, dependencies: StoreDependencies): Promise<KeyValueStore> {
  const { openEtcdStore } = await import('@apiserver/registry-store/etcd3');
  return await openEtcdStore(etcdOptions(transport, dependencies));
}

function etcdOptions(
  transport: EtcdTransport,
  { clock, options, logger, dialEtcd }: StoreDependencies,
): EtcdStoreOptions {
  const { compactionInterval, leaseReuseSeconds } = options;
  return {
    ...transport,
    dial: dialEtcd,
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
