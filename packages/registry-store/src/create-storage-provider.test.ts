import type { Clock } from '@apiserver/apimachinery';
import { describe, expect, it, vi } from 'vitest';
import { createStorageProvider } from './create-storage-provider.js';
import type { KeyValueStore } from './key-value-store.js';
import { openLmdbStore } from './lmdb/open-lmdb-store.js';
import { createMemoryStore } from './memory/create-memory-store.js';
import { ManualClock } from './testing/manual-clock.js';
import { storageSuite } from './testing/suites/storage-suite.js';
import { temporaryDirectory } from './testing/temporary-directory.js';
import { memoizedCodecs, storedWidgetDefinition } from './testing/widget-kind.js';

type OpenStore = (options: { clock: Clock; directory: string }) => Promise<KeyValueStore>;

const stores: Readonly<Record<string, OpenStore>> = {
  memory: async ({ clock }) => createMemoryStore({ clock, compactionInterval: 0 }),
  lmdb: ({ clock, directory }) => openLmdbStore({ clock, directory, compactionInterval: 0 }),
};

for (const [name, openStore] of Object.entries(stores)) {
  for (const cached of [false, true]) {
    storageSuite(`${cached ? 'cacher over ' : ''}${name}`, async ({ clock, scope, ...changes }) => {
      const resources = new AsyncDisposableStack();
      const directory = resources.use(temporaryDirectory());
      const store = resources.use(await openStore({ clock, directory: directory.path }));
      const options = { store, clock, codecFor: memoizedCodecs(), uncached: () => !cached, ...changes };
      const provider = resources.use(createStorageProvider(options));
      return {
        storage: provider.storageFor(storedWidgetDefinition(scope && { scope })),
        store,
        [Symbol.asyncDispose]: () => resources.disposeAsync(),
      };
    });
  }
}

describe('a resource that is only read', () => {
  it.each([
    [['get', 'list'], 0, []],
    [['get', 'list', 'create'], 1, ['widgets']],
  ] as const)('is neither cached nor counted: %j', async (verbs, watched, counted) => {
    const clock = new ManualClock();
    await using store = createMemoryStore({ clock, compactionInterval: 0 });
    const watches = vi.spyOn(store, 'watch');
    await using provider = createStorageProvider({ store, clock, codecFor: memoizedCodecs() });
    provider.storageFor({ ...storedWidgetDefinition(), verbs: [...verbs] });
    await provider.ready();
    const counters = [...provider.counters()].map(({ resource }) => resource);
    expect([watches.mock.calls.length, counters]).toEqual([watched, counted]);
  });
});
