import type { Clock, KeyValueStore } from '@apiserver/registry-store';
import type { StorageChoice } from './choose-places.js';

/** Opens the store that was chosen; what another one needs is not loaded. Throws a KeyValueError. */
export async function openStore(choice: StorageChoice, clock: Clock): Promise<KeyValueStore> {
  if (choice.type === 'memory') {
    const { createMemoryStore } = await import('@apiserver/registry-store/memory');
    return createMemoryStore({ clock });
  }
  const { openLmdbStore } = await import('@apiserver/registry-store/lmdb');
  return openLmdbStore({ directory: choice.directory, fsync: choice.fsync, clock });
}
