import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createStorageProvider } from '../create-storage-provider.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import type { StorageProvider } from '../storage-provider.js';
import { ManualClock } from '../testing/manual-clock.js';
import { type Widget, widget } from '../testing/widget.js';
import { memoizedCodecs, storedWidgetDefinition } from '../testing/widget-kind.js';

const clock = new ManualClock();
const newStore = () => createMemoryStore({ clock, compactionInterval: 0 });
const definition = storedWidgetDefinition();
const resource = { group: definition.group, resource: definition.resource };
const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };

let store: ReturnType<typeof newStore>;
let provider: StorageProvider;
let scans: ReturnType<typeof vi.spyOn>;

beforeEach(() => {
  store = newStore();
  scans = vi.spyOn(store, 'scan');
  provider = createStorageProvider({ store, clock, codecFor: memoizedCodecs() });
});

afterEach(async () => {
  await provider[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

const counts = () => [...provider.counters()].map((counter) => [counter.cachedCount(), counter.storedBytes()]);
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
