import { ManualClock } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { sharedStore } from '../testing/shared-store.js';
import { create, listOptions, remove, setColor, settled, watch } from '../testing/suites/storage-suite-fixture.js';
import { newWidgetCache, type WidgetCacheOptions } from '../testing/widget-cache.js';
import type { CacheMetrics } from './cache-metrics.js';

let clock: ManualClock;
let store: KeyValueStore;
let calls: string[];
beforeEach(() => {
  clock = new ManualClock();
  store = createMemoryStore({ clock, compactionInterval: 0 });
  calls = [];
});
afterEach(() => store[Symbol.asyncDispose]());

const note =
  (name: keyof CacheMetrics) =>
  (...values: unknown[]) =>
    void calls.push([name, ...values].join(' '));
const metrics: CacheMetrics = {
  initialized: note('initialized'),
  changed: note('changed'),
  initialEvents: note('initialEvents'),
  listed: note('listed'),
  waited: note('waited'),
  consistentRead: note('consistentRead'),
  shardedWatches: note('shardedWatches'),
  outsideShard: note('outsideShard'),
  resized: note('resized'),
};
const newCache = (options: Partial<WidgetCacheOptions> = {}) => newWidgetCache({ store, clock, metrics, ...options });
/** The calls since the last time. */
const since = () => calls.splice(0);

it('a cache without the past leaves exact versions and further pages to the store', async () => {
  const seen = async (listsPast: boolean) => {
    await using cache = newCache({ listsPast });
    await cache.ready();
    const list = async (options: Parameters<typeof listOptions>[0]) =>
      (await cache.list('', listOptions(options))).items;
    const first = await cache.list('', listOptions({ limit: 1 }));
    since();
    const continued = await list({ limit: 1, ...(first.continue !== undefined && { continue: first.continue }) });
    const exact = await list({ resourceVersion: '3', match: 'Exact' });
    const legacy = await list({ resourceVersion: '3', limit: 5 });
    return [
      [continued, exact, legacy].map(({ length }) => length),
      since().filter((call) => call.startsWith('listed')),
    ];
  };
  await using writer = newCache();
  for (const key of ['ns/a', 'ns/b']) await create(writer, key);
  expect(await seen(false)).toEqual([[1, 2, 2], []]);
  expect(await seen(true)).toEqual([
    [1, 2, 2],
    ['listed  1 1', 'listed  2 2', 'listed  2 2'],
  ]);
});

describe('a cache reports', () => {
  it('its fill, each change with its revision, and its capacity', async () => {
    const window = { minChanges: 2, maxChanges: 4, maxBytes: 2 ** 20, freshMs: 75_000 };
    await using cache = newCache({ window });
    expect(since()).toEqual(['resized 2 2']);
    await cache.ready();
    expect(since()).toEqual(['initialized']);
    for (const key of ['ns/a', 'ns/b', 'ns/c']) await create(cache, key);
    await remove(cache, 'ns/a');
    expect(since()).toEqual(['changed 2', 'changed 3', 'resized 2 4', 'changed 4', 'changed 5']);
  });

  it('its lists, and which of them had to be fresh', async () => {
    await using cache = newCache();
    await create(cache, 'ns/a', { spec: { color: 'red' } });
    await create(cache, 'ns/b');
    await cache.ready();
    since();
    await cache.list('', listOptions());
    await cache.list('', listOptions({ field: 'spec.color=red' }));
    await cache.list('', listOptions({ resourceVersion: '0', limit: 1 }));
    // It waits for no version that it has.
    await cache.list('', listOptions({ resourceVersion: '3' }));
    expect(since()).toEqual([
      'listed  2 2',
      'consistentRead true false',
      'listed  2 1',
      'consistentRead true false',
      'listed  2 2',
      'listed  2 2',
    ]);
  });

  it('the objects with which watches begin', async () => {
    await using cache = newCache();
    for (const key of ['ns/a', 'ns/b']) await create(cache, key, { spec: { color: key === 'ns/a' ? 'red' : 'blue' } });
    await cache.ready();
    since();
    const all = await watch(cache, '');
    const red = await watch(cache, '', { field: 'spec.color=red' });
    const later = await watch(cache, '', { resourceVersion: '2' });
    await Promise.all([all.have(2), red.have(1), later.have(1)]);
    await settled();
    expect(since().toSorted()).toEqual(['initialEvents 1', 'initialEvents 2']);
  });

  it('nothing to a watch that was closed', async () => {
    await using cache = newCache();
    await create(cache, 'ns/a');
    const seen: string[] = [];
    const source = await cache.watch('', { ...listOptions(), allowBookmarks: true });
    source.start({ event: ({ type }) => void seen.push(type), end: () => void seen.push('end') });
    await settled();
    source.close();
    source.close();
    await setColor(cache, 'ns/a', 'red');
    clock.advance(120_000);
    await settled();
    expect(seen).toEqual(['ADDED']);
  });
});

describe('a cache of a store with other writers', () => {
  it('has the entry that its own write returned, with its bytes in the store', async () => {
    await using cache = newCache({ store: sharedStore(store, 'onRequest') });
    await cache.ready();
    expect([cache.count, cache.storedBytes]).toEqual([0, 0]);
    const { stored } = await cache.guaranteedUpdate('ns/a', {}, async () => ({
      object: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a', namespace: 'ns' } },
    }));
    await cache.list('', listOptions());
    const bytes = (await store.get('/registry/example.com/widgets/ns/a')).kv?.value.length;
    expect([await cache.get('ns/a', { resourceVersion: '0' }), cache.count, cache.storedBytes]).toEqual([
      ...[stored, 1],
      bytes,
    ]);
    expect(await cache.get('ns/a', { resourceVersion: '0' })).toBe(stored);
    await remove(cache, 'ns/a');
    await cache.list('', listOptions());
    expect([cache.count, cache.storedBytes]).toEqual([0, 0]);
  });
});
