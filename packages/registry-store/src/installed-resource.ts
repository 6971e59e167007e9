import type { AnyResourceDefinition, InstalledResource, RestStorage } from '@apiserver/apiserver-contracts';
import type { StorageProvider } from './storage-provider.js';
import { createStore, createSubresourceStore } from './store/create-store.js';
import type { StoreOptions } from './store/store-options.js';

/** Options that the Stores of all resources of a server share. */
export type InstallOptions = Omit<StoreOptions, 'definition' | 'storage' | 'strategy'>;

/**
 * A definition with its Stores: one for the resource and one for each stored subresource, all over one storage.
 * Requesting the storage from the provider starts the fill of its watch cache.
 */
export function installedResource(
  definition: AnyResourceDefinition,
  provider: StorageProvider,
  options: InstallOptions,
): InstalledResource {
  const stored = definition.storedAs ?? definition;
  const store: StoreOptions = { ...options, definition: stored, storage: provider.storageFor(stored) };
  const subresources: Record<string, RestStorage> = {};
  for (const [name, subresource] of Object.entries(definition.subresources)) {
    subresources[name] = createSubresourceStore(store, subresource);
  }
  return { definition, storage: createStore(store), subresources };
}
