import type { KindCodec } from '@apiserver/apimachinery/codec';
import type { KindSchema } from '@apiserver/apimachinery/schema';
import { portRangeStorage } from '@apiserver/controlplane';
import type { ServerContext } from '@apiserver/generic-server';
import { createStorageProvider, type ObjectSource, type StorageProvider } from '@apiserver/registry-store';
import { transformersOf } from './encryption-at-rest.js';
import type { StorageConfig } from './storage-config.js';

/** Dependencies of storage besides its config. */
export interface ProviderDependencies {
  readonly context: Pick<ServerContext, 'clock' | 'disposables'>;
  /** Shared with the endpoints: each kind is compiled once for both. */
  readonly codecFor: (schema: KindSchema) => KindCodec;
  /** Upstream feature gate: AllowUnsafeMalformedObjectDeletion */
  readonly unsafeDeletion: boolean;
  /** True if requests are audited or traced. */
  readonly isObserved: boolean;
  /** See StorageProviderOptions. */
  readonly known: (() => ObjectSource | undefined) | undefined;
}

/** Storage of the built-in kinds. */
export function createProvider(
  storage: Omit<StorageConfig, 'provider'>,
  { context, codecFor, unsafeDeletion, isObserved, known }: ProviderDependencies,
): StorageProvider {
  const { stores, root, watchCache, listsPast, mediaType, metrics } = storage;
  const withoutCache = new Set(storage.withoutCache.map(({ group, resource }) => `${group}/${resource}`));
  const overrides = new Map(
    stores.overrides.map((override) => [`${override.group}/${override.resource}`, override.store]),
  );
  const provider = createStorageProvider({
    store: stores.main,
    root,
    clock: context.clock,
    codecFor,
    storeFor: ({ group, resource }) => overrides.get(`${group}/${resource}`),
    transformerFor: transformersOf(storage),
    unsafeDeletion,
    isObserved,
    known,
    listsPast,
    uncached: ({ group, resource }) =>
      !watchCache || resource === portRangeStorage.resource || withoutCache.has(`${group}/${resource}`),
    ...metrics,
    ...(mediaType === undefined ? {} : { mediaType }),
  });
  return context.disposables.use(provider);
}
