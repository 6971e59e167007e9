import { createStorageProvider } from '../create-storage-provider.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { sharedStore } from '../testing/shared-store.js';
import { storageSuite } from '../testing/suites/storage-suite.js';
import { memoizedCodecs, storedWidgetDefinition } from '../testing/widget-kind.js';

for (const freshness of ['onRequest', 'unknown'] as const) {
  storageSuite(`cacher over a store that others write to, whose freshness is ${freshness}`, async (options) => {
    const { clock, scope, ...changes } = options;
    const store = sharedStore(createMemoryStore({ clock, compactionInterval: 0 }), freshness);
    const provider = createStorageProvider({ store, clock, codecFor: memoizedCodecs(), ...changes });
    return {
      storage: provider.storageFor(storedWidgetDefinition(scope && { scope })),
      store,
      async [Symbol.asyncDispose]() {
        await provider[Symbol.asyncDispose]();
        await store[Symbol.asyncDispose]();
      },
    };
  });
}
