import type { Clock } from '@apiserver/apimachinery/clock';
import { type KindSchema, list, STRING, struct } from '@apiserver/apimachinery/schema';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { describe, expect, it, vi } from 'vitest';
import { noCacheMetrics } from './cacher/cache-metrics.js';
import { DEFAULT_WINDOW } from './cacher/event-window.js';
import { createStorageProvider } from './create-storage-provider.js';
import type { KeyValueStore } from './key-value-store.js';
import { openLmdbStore } from './lmdb/open-lmdb-store.js';
import { createMemoryStore } from './memory/create-memory-store.js';
import { ObjectCounts } from './object-counts.js';
import type { StorageProviderOptions } from './storage-provider.js';
import { storageSuite } from './testing/suites/storage-suite.js';
import { create } from './testing/suites/storage-suite-fixture.js';
import { temporaryDirectory } from './testing/temporary-directory.js';
import { type Widget, widget } from './testing/widget.js';
import { memoizedCodecs, storedWidgetDefinition, widgetKind } from './testing/widget-kind.js';

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

describe('a read-only resource', () => {
  it.each([
    [['get', 'list'], 0, []],
    [['get', 'list', 'create'], 1, ['widgets']],
  ] as const)('is neither cached nor counted: %j', async (verbs, watched, counted) => {
    const clock = new ManualClock();
    await using store = createMemoryStore({ clock, compactionInterval: 0 });
    const watches = vi.spyOn(store, 'watch');
    const counts = new ObjectCounts();
    await using provider = createStorageProvider({ store, clock, codecFor: memoizedCodecs(), counted: counts.add });
    provider.storageFor({ ...storedWidgetDefinition(), verbs: [...verbs] });
    await provider.ready();
    expect([watches.mock.calls.length, [...counts].map(({ resource }) => resource)]).toEqual([watched, counted]);
  });
});

describe('a counter', () => {
  /** Two widgets and another object, through a provider that counts. */
  async function counting(options: Partial<StorageProviderOptions>) {
    const clock = new ManualClock();
    const store = createMemoryStore({ clock, compactionInterval: 0 });
    const counts = new ObjectCounts();
    const provider = createStorageProvider({
      store,
      clock,
      codecFor: memoizedCodecs(),
      counted: counts.add,
      ...options,
    });
    const storage = provider.storageFor(storedWidgetDefinition());
    const others = provider.storageFor(storedWidgetDefinition({ resource: 'others', keyPrefix: 'example.com/others' }));
    await provider.ready();
    await create(storage, 'ns/a');
    await create(storage, 'ns/b');
    await create(others, 'ns/c');
    // A cache fills on its first use.
    await storage.get('ns/a', {});
    const resources = new AsyncDisposableStack();
    resources.use(store);
    resources.use(provider);
    return { provider, counts, store, storage, [Symbol.asyncDispose]: () => resources.disposeAsync() };
  }

  it.each([
    ['with a watch cache', false, 2],
    ['without one', true, undefined],
  ])('knows the objects of its resource %s', async (_, isUncached, cached) => {
    await using fixture = await counting({ uncached: () => isUncached });
    const counters = [...fixture.counts];
    expect(counters.map(({ group, resource }) => `${resource}.${group}`)).toEqual([
      'widgets.example.com',
      'others.example.com',
    ]);
    expect(await Promise.all(counters.map((counter) => counter.count()))).toEqual([2, 1]);
    const [counter] = counters;
    expect([counter?.cachedCount(), (counter?.storedBytes() ?? 0) > 0]).toEqual([cached, cached !== undefined]);
  });

  it('asks the store while the cache is not filled', async () => {
    await using fixture = await counting({ uncached: () => true });
    const clock = new ManualClock();
    const counts = new ObjectCounts();
    const options = { store: fixture.store, clock, codecFor: memoizedCodecs(), counted: counts.add };
    await using provider = createStorageProvider(options);
    provider.storageFor(storedWidgetDefinition());
    const [counter] = counts;
    expect([counter?.cachedCount(), counter?.storedBytes(), await counter?.count()]).toEqual([undefined, undefined, 2]);
  });

  it('counts below the root of its provider', async () => {
    await using fixture = await counting({ root: '/other', uncached: () => true });
    const [counter] = fixture.counts;
    expect(await counter?.count()).toBe(2);
    expect(await fixture.store.get('/other/example.com/widgets/ns/a')).toMatchObject({ kv: { modRevision: 2 } });
  });

  it('reports the failure of the store', async () => {
    await using fixture = await counting({ uncached: () => true });
    vi.spyOn(fixture.store, 'range').mockRejectedValue(new Error('gone'));
    const [counter] = fixture.counts;
    await expect(counter?.count()).rejects.toThrow('gone');
  });

  it('ends with its provider', async () => {
    await using fixture = await counting({});
    await fixture.provider[Symbol.asyncDispose]();
    expect([...fixture.counts]).toEqual([]);
  });
});

describe('a provider', () => {
  const widgets = { group: 'example.com', resource: 'widgets' };

  async function provided(options: Partial<StorageProviderOptions> = {}) {
    const clock = new ManualClock();
    const resources = new AsyncDisposableStack();
    const store = resources.use(createMemoryStore({ clock, compactionInterval: 0 }));
    const provider = resources.use(createStorageProvider({ store, clock, codecFor: memoizedCodecs(), ...options }));
    return { store, provider, clock, [Symbol.asyncDispose]: () => resources.disposeAsync() };
  }

  it('has one storage for each prefix, and counts it once', async () => {
    const counted = vi.fn(() => () => {});
    await using fixture = await provided({ counted });
    const { provider } = fixture;
    const storage = provider.storageFor(storedWidgetDefinition());
    expect(provider.storageFor(storedWidgetDefinition({ resource: 'same' }))).toBe(storage);
    expect(provider.storageFor(storedWidgetDefinition({ keyPrefix: 'example.com/others' }))).not.toBe(storage);
    expect(counted).toHaveBeenCalledTimes(2);
  });

  it('says when a resource is first used', async () => {
    await using fixture = await provided();
    const { provider } = fixture;
    const storage = provider.storageFor(storedWidgetDefinition());
    await provider.ready();
    let isUsed = false;
    const used = provider.firstUse(widgets)?.then(() => {
      isUsed = true;
    });
    expect([used === undefined, provider.firstUse({ ...widgets, resource: 'others' })]).toEqual([false, undefined]);
    expect(isUsed).toBe(false);
    await create(storage, 'ns/a');
    await used;
    expect(provider.firstUse(widgets)).toBeUndefined();
  });

  it('keeps a resource in the store that it is given for it', async () => {
    await using own = createMemoryStore({ clock: new ManualClock(), compactionInterval: 0 });
    await using fixture = await provided({ storeFor: ({ resource }) => (resource === 'widgets' ? own : undefined) });
    const { provider, store } = fixture;
    await create(provider.storageFor(storedWidgetDefinition()), 'ns/a');
    const others = storedWidgetDefinition({ resource: 'others', keyPrefix: 'example.com/others' });
    await create(provider.storageFor(others), 'ns/b');
    const keysOf = async (from: KeyValueStore) =>
      (await from.range({ start: '/', end: '0' })).kvs.map(({ key }) => key);
    expect([await keysOf(own), await keysOf(store)]).toEqual([
      ['/registry/example.com/widgets/ns/a'],
      ['/registry/example.com/others/ns/b'],
    ]);
  });

  it('is ready although an object is unreadable, and not beyond its signal', async () => {
    await using fixture = await provided();
    const { provider, store } = fixture;
    const key = '/registry/example.com/widgets/ns/a';
    await store.commit({ type: 'put', key, value: Buffer.from('no object'), expectedRevision: 0 });
    const storage = provider.storageFor(storedWidgetDefinition());
    await expect(storage.ready()).rejects.toMatchObject({ storageErrorCode: 'Corrupt' });
    await provider.ready();
    await provider.ready(new AbortController().signal);
    await expect(provider.ready(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });

  it('reports the capacity of a cache from its beginning, and of no resource without one', async () => {
    const seen: unknown[] = [];
    const cacheMetrics = ({ resource }: { resource: string }) => ({
      ...noCacheMetrics,
      resized: (...capacities: readonly number[]) => void seen.push([resource, ...capacities]),
    });
    await using fixture = await provided({ cacheMetrics, uncached: ({ resource }) => resource === 'others' });
    const { provider } = fixture;
    provider.storageFor(storedWidgetDefinition());
    provider.storageFor(storedWidgetDefinition({ resource: 'others', keyPrefix: 'example.com/others' }));
    expect(seen).toEqual([['widgets', DEFAULT_WINDOW.minChanges, DEFAULT_WINDOW.minChanges]]);
  });
});

describe('a required list without elements', () => {
  const [kind, apiVersion, metadata] = widgetKind.schema.fields;
  const schema: KindSchema<Widget> = {
    ...widgetKind,
    schema: {
      ...widgetKind.schema,
      fields: [kind, apiVersion, metadata, ...struct('', '', () => [['parts', 0, list(STRING)]]).fields].flatMap(
        (field) => field ?? [],
      ),
    },
  };

  it.each([
    ['as null, where upstream keeps protobuf', {}, 'null'],
    ['as it was sent, where upstream keeps JSON', { isJsonAtRest: true }, '[]'],
  ])('is read back %s', async (_, changes, parts) => {
    const clock = new ManualClock();
    await using store = createMemoryStore({ clock, compactionInterval: 0 });
    await using provider = createStorageProvider({ store, clock, codecFor: memoizedCodecs() });
    const definition = storedWidgetDefinition({ versions: [{ version: 'v1', schema }], ...changes });
    const storage = provider.storageFor({ ...definition, selectableFieldNames: [], selectableFields: () => ({}) });
    await provider.ready();
    const stored = await storage.create('ns/a', widget({ name: 'a', namespace: 'ns' }, { parts: [] }));
    const read = await storage.get('ns/a', {});
    const shown = [stored, read].map((one) => JSON.stringify(one.object['parts']));
    expect(shown).toEqual([parts, parts]);
  });
});
