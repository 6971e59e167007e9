import { TimeSlice } from '@apiserver/apimachinery/clock';
import { ManualClock } from '@apiserver/apimachinery/testing';
import type { Logger, Storage } from '@apiserver/apiserver-contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createInformer } from '../informer/create-informer.js';
import type { KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { createObjectStorage } from '../objects/object-storage.js';
import { sharedStore } from '../testing/shared-store.js';
import { create, listOptions, setColor, watch } from '../testing/suites/storage-suite-fixture.js';
import { type Widget, widgetResource } from '../testing/widget.js';
import { newWidgetCache, newWidgetContext } from '../testing/widget-cache.js';
import type { CachedStorage } from './cacher.js';

let clock: ManualClock;
let store: KeyValueStore;
beforeEach(() => {
  clock = new ManualClock();
  store = createMemoryStore({ clock, compactionInterval: 0 });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store[Symbol.asyncDispose]();
});

/** The turns that work gives to others if its time is always over, or never. */
async function turnsOf(isOver: boolean, work: () => Promise<unknown>): Promise<number> {
  vi.spyOn(TimeSlice.prototype, 'over', 'get').mockReturnValue(isOver);
  const turns = vi.spyOn(TimeSlice.prototype, 'yield').mockResolvedValue();
  await work();
  return turns.mock.calls.length;
}

async function fill(count: number): Promise<void> {
  const storage = createObjectStorage(newWidgetContext({ store }), clock);
  for (let i = 0; i < count; i++) await create(storage, `ns/w${i}`, { labels: { a: 'b' }, spec: { color: 'red' } });
}

const ofStore = (): Storage<Widget> => createObjectStorage(newWidgetContext({ store }), clock);
const indexedField = 'spec.color';
const cached = (isShared: boolean): CachedStorage<Widget> =>
  newWidgetCache({ store: isShared ? sharedStore(store, 'unknown') : store, clock, indexedField });

async function filled(isShared = false): Promise<CachedStorage<Widget>> {
  const cache = cached(isShared);
  await cache.ready();
  return cache;
}

describe('work on many objects gives others a turn', () => {
  it.each<[string, number, number, () => Promise<() => Promise<unknown>>]>([
    ['a list of the store', 20, 2, async () => () => ofStore().list('', listOptions())],
    [
      'a list of a cache by labels',
      130,
      2,
      async () => {
        const cache = await filled();
        return () => cache.list('', listOptions({ label: 'a=b' }));
      },
    ],
    [
      'the first list by an indexed field',
      130,
      4,
      async () => {
        const cache = await filled();
        return () => cache.list('', listOptions({ field: 'spec.color=red' }));
      },
    ],
    ['a fill of the cache of a store with other writers', 20, 2, async () => () => cached(true).ready()],
    [
      'the state of a watch',
      20,
      2,
      async () => {
        const cache = await filled();
        return async () => (await watch(cache, '')).have(20);
      },
    ],
    [
      'the past of a watch',
      20,
      3,
      async () => {
        const cache = await filled();
        for (let i = 0; i < 20; i++) await setColor(cache, `ns/w${i}`, 'blue');
        return async () => (await watch(cache, '', { resourceVersion: '21' })).have(20);
      },
    ],
    [
      // The store gives one turn itself.
      'a comparison of a cache with its store',
      130,
      3,
      async () => {
        const cache = await filled(true);
        return async () => await cache.checkConsistency?.();
      },
    ],
    ['a watch of the store', 20, 22, async () => async () => (await watch(ofStore(), '')).have(20)],
    [
      'the state of an informer',
      40,
      2,
      async () => {
        const cache = await filled();
        const client = {
          resource: widgetResource,
          list: () => cache.list('', listOptions()),
          watch: () => new Promise<never>(() => {}),
        };
        const logger: Logger = {
          info: () => {},
          warning: () => {},
          error: () => {},
          v: () => undefined,
          named: () => logger,
        };
        const informer = createInformer<Widget>({ client, clock, random: () => 0, logger });
        return () => informer.synced();
      },
    ],
  ])('%s, of %i objects', async (_, count, turns, prepare) => {
    await fill(count);
    const work = await prepare();
    expect(await turnsOf(true, work)).toBe(turns);
  });

  it.each([
    ['of the store', ofStore],
    ['of a cache', () => cached(false)],
  ])('but not while its time lasts: a list and a watch %s', async (_, open) => {
    await fill(130);
    const storage = open();
    const work = async () => {
      await storage.list('', listOptions({ label: 'a=b' }));
      await (await watch(storage, '')).have(130);
    };
    expect(await turnsOf(false, work)).toBe(0);
  });
});
