import { newInternalError } from '@apiserver/apimachinery/errors';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { eventLoopTurns, ManualClock } from '@apiserver/apimachinery/testing';
import type { Logger, WatchSink } from '@apiserver/apiserver-contracts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createStorageProvider } from '../create-storage-provider.js';
import { createInformer, type InformerOptions } from '../informer/create-informer.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { ObjectCounts } from '../object-counts.js';
import type { StorageProvider } from '../storage-provider.js';
import { widgetResource as resource, type Widget, widget } from '../testing/widget.js';
import { memoizedCodecs, storedWidgetDefinition } from '../testing/widget-kind.js';

const clock = new ManualClock();
const newStore = () => createMemoryStore({ clock, compactionInterval: 0 });
const definition = storedWidgetDefinition();
const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };

let store: ReturnType<typeof newStore>;
let counters: ObjectCounts;
let provider: StorageProvider;
let scans: ReturnType<typeof vi.spyOn>;

beforeEach(() => {
  store = newStore();
  scans = vi.spyOn(store, 'scan');
  counters = new ObjectCounts();
  provider = createStorageProvider({ store, clock, codecFor: memoizedCodecs(), counted: counters.add });
});

afterEach(async () => {
  await provider[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

const counts = () => [...counters].map((counter) => [counter.cachedCount(), counter.storedBytes()]);
const isUsed = async () => {
  const used = provider.firstUse(resource);
  return used === undefined || (await Promise.race([used.then(() => true), Promise.resolve(false)]));
};

it('fills no cache of a resource without objects, until it is used', async () => {
  const storage = provider.storageFor(definition);
  expect(provider.firstUse(resource)).toBeUndefined();
  await provider.ready();
  expect([scans.mock.calls.length, counts(), await isUsed()]).toEqual([0, [[0, 0]], false]);
  const used = provider.firstUse(resource);
  expect((await storage.list('', everything)).items).toEqual([]);
  await used;
  expect([scans.mock.calls.length, provider.firstUse(resource)]).toEqual([1, undefined]);
});

it('looks for one key, without its value', async () => {
  const range = vi.spyOn(store, 'range');
  provider.storageFor(definition);
  await provider.ready();
  const [start, end] = ['/registry/example.com/widgets/', '/registry/example.com/widgets0'];
  expect(range.mock.calls).toEqual([[{ start, end, limit: 1, keysOnly: true }]]);
});

it('fills the cache of a resource with objects at once', async () => {
  await using other = createStorageProvider({ store, clock, codecFor: memoizedCodecs() });
  await other.storageFor(definition).create('ns/a', widget({ name: 'a', namespace: 'ns' }));
  provider.storageFor(definition);
  await provider.ready();
  expect([scans.mock.calls.length, counts()[0]?.[0], await isUsed()]).toEqual([1, 1, true]);
});

it.each([
  [
    'a write beside it',
    async () => {
      await using other = createStorageProvider({ store, clock, codecFor: memoizedCodecs() });
      await other.storageFor(definition).create('ns/a', widget({ name: 'a', namespace: 'ns' }));
    },
  ],
  [
    'a restore',
    async () => {
      await using full = newStore();
      await using other = createStorageProvider({ store: full, clock, codecFor: memoizedCodecs() });
      await other.storageFor(definition).create('ns/a', widget({ name: 'a', namespace: 'ns' }));
      await store.restore(full.snapshot());
    },
  ],
])('is used after %s', async (_, act) => {
  const storage = provider.storageFor(definition);
  await provider.ready();
  expect(await isUsed()).toBe(false);
  await act();
  expect(await isUsed()).toBe(true);
  const { items } = await storage.list('', everything);
  expect(items.map(({ object }) => (object as Widget).metadata.name)).toEqual(['a']);
});

it('is unused after a restore that changes other keys', async () => {
  provider.storageFor(definition);
  await provider.ready();
  await using other = newStore();
  await other.commit({ type: 'put', key: '/registry/others/a', value: Buffer.from('{}'), expectedRevision: 0 });
  await store.restore(other.snapshot());
  expect(await isUsed()).toBe(false);
});

it('leaves no timer behind when it is used after its end', async () => {
  const storage = provider.storageFor(definition);
  await provider.ready();
  await provider[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  const schedule = vi.spyOn(clock, 'schedule');
  await expect(storage.list('', everything)).rejects.toThrow();
  expect(schedule).not.toHaveBeenCalled();
});

const logger: Logger = { info() {}, warning() {}, error() {}, v: () => undefined, named: () => logger };
const firstObject = () => widget({ name: 'a', namespace: 'ns' });

it('keeps the first object back until those who follow the resource are ready; reads do not wait', async () => {
  const storage = provider.storageFor(definition);
  const follower = Promise.withResolvers<void>();
  const first = await provider.unused(resource, follower.promise);
  const created = storage.create('ns/a', firstObject());
  const updated = storage.guaranteedUpdate('ns/b', {}, async () => ({
    object: widget({ name: 'b', namespace: 'ns' }),
  }));
  await first?.begun;
  expect((await storage.list('', everything)).items).toEqual([]);
  follower.reject(new Error('a failed list keeps nothing back'));
  await Promise.all([created, updated]);
  expect((await storage.list('', everything)).items.map(({ object }) => (object as Widget).metadata.name)).toEqual([
    'a',
    'b',
  ]);
  expect(await provider.unused(resource, Promise.resolve())).toBeUndefined();
});

it('keeps a restore that brings the first object back', async () => {
  await using full = newStore();
  await using other = createStorageProvider({ store: full, clock, codecFor: memoizedCodecs() });
  await other.storageFor(definition).create('ns/a', firstObject());
  provider.storageFor(definition);
  const follower = Promise.withResolvers<void>();
  const first = await provider.unused(resource, follower.promise);
  let isRestored = false;
  const restored = store.restore(full.snapshot()).then(() => {
    isRestored = true;
  });
  await first?.begun;
  await eventLoopTurns();
  expect(isRestored).toBe(false);
  follower.resolve();
  await restored;
});

it('finds out whether a resource has objects', async () => {
  await using other = createStorageProvider({ store, clock, codecFor: memoizedCodecs() });
  expect(await provider.unused(resource, Promise.resolve())).toBeUndefined();
  provider.storageFor(definition);
  expect(await provider.unused(resource, Promise.resolve())).toBeDefined();
  await other.storageFor(definition).create('ns/a', firstObject());
  expect(await provider.unused(resource, Promise.resolve())).toBeUndefined();
  await using later = createStorageProvider({ store, clock, codecFor: memoizedCodecs() });
  later.storageFor(definition);
  expect(await later.unused(resource, Promise.resolve())).toBeUndefined();
});

it('tells an informer of the first object before its write resolves', async () => {
  const storage = provider.storageFor(definition);
  const client = {
    resource,
    list: vi.fn(() => storage.list('', everything)),
    watch: vi.fn(() => storage.watch('', { ...everything, allowBookmarks: true })),
  };
  const unused = (ready: Promise<void>) => provider.unused(resource, ready);
  await using informer = createInformer<Widget>({ client, clock, random: () => 0, logger, unused });
  await informer.synced();
  expect([informer.list(), client.list.mock.calls.length]).toEqual([[], 0]);
  await storage.create('ns/a', firstObject());
  expect(informer.list().map(({ metadata }) => metadata.name)).toEqual(['a']);
});

it('stores the first object although an informer cannot list', async () => {
  const storage = provider.storageFor(definition);
  const failing = vi.fn(() => Promise.reject(new Error('not now')));
  const unused = (ready: Promise<void>) => provider.unused(resource, ready);
  const options = { client: { resource, list: failing, watch: failing }, clock, random: () => 0, logger, unused };
  await using informer = createInformer<Widget>(options);
  await informer.synced();
  expect((await storage.create('ns/a', firstObject())).object).toMatchObject({ metadata: { name: 'a' } });
  expect(failing).toHaveBeenCalledOnce();
});

it('ends an informer of an unused resource, and lets a write pass that it would keep back', async () => {
  const storage = provider.storageFor(definition);
  const never = () => new Promise<never>(() => {});
  const unused = (ready: Promise<void>) => provider.unused(resource, ready);
  const options = { client: { resource, list: never, watch: never }, clock, random: () => 0, logger, unused };
  const informers = [createInformer<Widget>(options), createInformer<Widget>(options)];
  await Promise.all(informers.map((informer) => informer.synced()));
  await informers[0]?.[Symbol.asyncDispose]();
  const created = storage.create('ns/a', firstObject());
  await eventLoopTurns();
  await informers[1]?.[Symbol.asyncDispose]();
  expect((await created).object).toMatchObject({ metadata: { name: 'a' } });
});

const shapes = [false, true].flatMap((isLooked) =>
  [false, true].map((streamsLists) => [isLooked, streamsLists] as const),
);

it.each(shapes)(
  'tells an informer of a write that coincides with its start: looked %s, streams %s',
  async (...shape) => {
    const [isLooked, streamsLists] = shape;
    const names: (readonly string[])[] = [];
    for (let microtasks = 0; microtasks < 24; microtasks++) {
      await using empty = newStore();
      await using other = createStorageProvider({ store: empty, clock, codecFor: memoizedCodecs() });
      const storage = other.storageFor(definition);
      if (isLooked) await other.ready();
      const client: InformerOptions<Widget>['client'] = {
        resource,
        streamsLists,
        list: async () => {
          await eventLoopTurns();
          return await storage.list('', everything);
        },
        watch: async (_, { sendInitialEvents = false, resourceVersion = '' } = {}) => {
          await eventLoopTurns();
          return await storage.watch('', { ...everything, sendInitialEvents, resourceVersion, allowBookmarks: true });
        },
      };
      const unused = (ready: Promise<void>) => other.unused(resource, ready);
      await using informer = createInformer<Widget>({ client, clock, random: () => 0, logger, unused });
      const synced = informer.synced();
      for (let i = 0; i < microtasks; i++) await undefined;
      await Promise.all([synced, storage.create('ns/a', firstObject())]);
      names.push(informer.list().map(({ metadata }) => metadata.name ?? ''));
    }
    expect(names).toEqual(Array.from({ length: 24 }, () => ['a']));
  },
);

it('stores the first object although the watch of an informer ends within its initial events', async () => {
  const storage = provider.storageFor(definition);
  const unused = (ready: Promise<void>) => provider.unused(resource, ready);
  const watch = vi.fn(async () => ({
    start: (sink: WatchSink<Widget>) => sink.end(newInternalError(new Error('the watch of the store ended'))),
    close() {},
  }));
  const client = { resource, streamsLists: true, list: () => Promise.reject(new Error('not now')), watch };
  await using informer = createInformer<Widget>({ client, clock, random: () => 0, logger, unused });
  await informer.synced();
  expect((await storage.create('ns/a', firstObject())).object).toMatchObject({ metadata: { name: 'a' } });
  expect(watch).toHaveBeenCalledOnce();
});

it('stores the first object after ten seconds although an informer gets no answer', async () => {
  const storage = provider.storageFor(definition);
  const never = () => new Promise<never>(() => {});
  const unused = (ready: Promise<void>) => provider.unused(resource, ready);
  const options = { client: { resource, list: never, watch: never }, clock, random: () => 0, logger, unused };
  await using informer = createInformer<Widget>(options);
  await informer.synced();
  let isStored = false;
  const created = storage.create('ns/a', firstObject()).then(() => {
    isStored = true;
  });
  await eventLoopTurns();
  clock.advance(9_999);
  await eventLoopTurns();
  expect(isStored).toBe(false);
  clock.advance(1);
  await created;
});
