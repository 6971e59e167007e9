import { eventLoopTurns, ManualClock } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { create, label, remove, watch } from '../testing/suites/storage-suite-fixture.js';
import type { Widget } from '../testing/widget.js';
import { newWidgetCache } from '../testing/widget-cache.js';
import type { CachedStorage } from './cacher.js';
import { DeliveryTime } from './delivery-time.js';

let clock: ManualClock;
let store: KeyValueStore;
let cache: CachedStorage<Widget>;
beforeEach(async () => {
  clock = new ManualClock();
  store = createMemoryStore({ clock, compactionInterval: 0 });
  cache = newWidgetCache({ store, clock });
  await cache.ready();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await cache[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

/** From now on the turn has no time for every `every`th match; counts them. */
function outOfTimeAtEvery(every: number): { late: number } {
  const counted = { late: 0 };
  let matches = 0;
  vi.spyOn(DeliveryTime.prototype, 'isOver').mockImplementation(() => {
    const isOver = ++matches % every === 0;
    if (isOver) counted.late++;
    return isOver;
  });
  return counted;
}

/** Creates, changes and deletes objects that `a=b` selects, and others: some in one turn, some in several. */
async function change(): Promise<void> {
  for (let i = 0; i < 30; i++) {
    const key = `ns/w${i}`;
    await create(cache, key, { labels: i % 3 === 0 ? { a: 'c' } : { a: 'b' } });
    if (i % 4 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    await label(cache, key, i % 2 === 0 ? { a: 'b', n: '1' } : { a: 'c' });
    if (i % 5 === 0) await remove(cache, key);
  }
}

describe('a turn without time for a match', () => {
  it.each([1, 2, 3, 7])('delays events of selecting watchers, without loss or repetition: 1 of %i', async (every) => {
    const counted = outOfTimeAtEvery(every);
    const watchers = await Promise.all([1, 2, 3].map(() => watch(cache, '', { label: 'a=b', resourceVersion: '1' })));
    await eventLoopTurns();
    await change();
    await eventLoopTurns();
    expect(counted.late).toBeGreaterThan(10);
    // One that reads everything from the past.
    const expected = await watch(cache, '', { label: 'a=b', resourceVersion: '1' });
    await eventLoopTurns();
    expect(expected.lines.length).toBeGreaterThan(30);
    expect(watchers.map(({ lines }) => lines)).toEqual(watchers.map(() => expected.lines));
  });

  it('delays no events of watchers without a selector', async () => {
    const counted = outOfTimeAtEvery(1);
    const [selecting, all] = [await watch(cache, '', { label: 'a=b' }), await watch(cache, '')];
    await eventLoopTurns();
    await create(cache, 'ns/x', { labels: { a: 'b' } });
    expect([selecting.lines, all.lines, counted.late]).toEqual([[], ['ADDED ns/x@2'], 1]);
    expect(await selecting.have(1)).toEqual(['ADDED ns/x@2']);
  });

  it('creates an event once for all that are behind, and keeps none', async () => {
    outOfTimeAtEvery(1);
    const options = { label: 'a=b', resourceVersion: '1' };
    const late = [await watch(cache, '', options), await watch(cache, '', options)];
    await eventLoopTurns();
    await create(cache, 'ns/x', { labels: { a: 'b' } });
    const again = [await watch(cache, '', options), await watch(cache, '', options)];
    for (const watcher of [...late, ...again]) await watcher.have(1);
    await eventLoopTurns();
    const afterwards = await watch(cache, '', options);
    await afterwards.have(1);
    const [first, ...others] = [...late, ...again, afterwards].map(({ events }) => events[0]);
    expect(others.map((event) => event === first)).toEqual([true, true, true, false]);
  });

  it('keeps the times of bookmarks', async () => {
    const counted = outOfTimeAtEvery(2);
    const watcher = await watch(cache, '', { label: 'a=b', allowBookmarks: true });
    await eventLoopTurns();
    for (let second = 0; second < 60; second += 10) {
      await create(cache, `ns/s${second}`, { labels: { a: 'b' } });
      await eventLoopTurns();
      clock.advance(10_000);
    }
    expect(counted.late).toBeGreaterThan(0);
    expect(watcher.lines.filter((line) => line.startsWith('BOOKMARK'))).toHaveLength(1);
  });
});
