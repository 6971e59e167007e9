import { ManualClock } from '@apiserver/apimachinery/testing';
import { expect, it, vi } from 'vitest';
import { createStorageProvider } from '../create-storage-provider.js';
import type { KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { createObjectStorage } from '../objects/object-storage.js';
import { sharedStore } from '../testing/shared-store.js';
import { storageSuite } from '../testing/suites/storage-suite.js';
import { create, listOptions, names, setColor, settled } from '../testing/suites/storage-suite-fixture.js';
import { newWidgetCache, newWidgetContext } from '../testing/widget-cache.js';
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

it('lists by the changes since the state of the cache, unless that state may be wrong', async () => {
  const clock = new ManualClock();
  await using inner = createMemoryStore({ clock, compactionInterval: 0 });
  const shared = sharedStore(inner, 'unknown');
  let loses = false;
  const watch: KeyValueStore['watch'] = (request, sink) =>
    shared.watch(request, { event: (event) => loses || sink.event(event), end: (error) => sink.end(error) });
  const store = { ...shared, watch };
  const changed = vi.spyOn(store, 'rangeChanged');
  const range = vi.spyOn(store, 'range');
  await using cache = newWidgetCache({ store, clock });
  for (const name of ['a', 'b']) await create(cache, `ns/${name}`);
  const requests = async () => {
    changed.mockClear();
    range.mockClear();
    const list = await cache.list('', listOptions());
    return [names(list), changed.mock.calls.length, range.mock.calls.length];
  };
  // The cache is not filled yet.
  expect(await cache.list('', listOptions({ limit: 1 })).then(names)).toEqual(['a@2']);
  await cache.ready();
  expect(await requests()).toEqual([['a@2', 'b@3'], 1, 0]);
  await setColor(createObjectStorage(newWidgetContext({ store: inner }), clock), 'ns/b', 'red');
  expect(await requests()).toEqual([['a@2', 'b@4'], 1, 0]);
  await settled();
  loses = true;
  await setColor(createObjectStorage(newWidgetContext({ store: inner }), clock), 'ns/b', 'blue');
  await settled();
  expect(await cache.checkConsistency?.()).toBe(false);
  expect(await requests()).toEqual([['a@2', 'b@5'], 0, 2]);
});
