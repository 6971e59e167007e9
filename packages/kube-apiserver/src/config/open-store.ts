import type { Clock, KeyValueStore } from '@apiserver/registry-store';
import type { StorageBackend } from '../options/data-options.js';

/** Opens the store of a backend; what the other backend needs is not loaded. Throws a KeyValueError. */
export async function openStore(backend: StorageBackend, directory: string, clock: Clock): Promise<KeyValueStore> {
  if (backend === 'memory') {
    const { createMemoryStore } = await import('@apiserver/registry-store/memory');
    return createMemoryStore({ clock });
  }
  const { openLmdbStore } = await import('@apiserver/registry-store/lmdb');
  return openLmdbStore({ directory, clock });
}
